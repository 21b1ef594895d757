// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-expand-math | FileCheck %s
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v3 --cpu-expand-math | FileCheck %s --check-prefix=NARROW

// What is added depends on the place that stays last; a NaN stays one; the upper halves are one permutation.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : vector<32xf32> to vector<32xi32>
// CHECK: %[[LAST:.*]] = arith.andi %[[BITS]], %cst{{.*}} : vector<32xi32>
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[LAST]]
// CHECK: %[[ADDEND:.*]] = arith.select %[[ODD]]
// CHECK: %[[SUM:.*]] = arith.addi %[[BITS]], %[[ADDEND]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %arg0, %arg0
// CHECK: %[[KEPT:.*]] = arith.select %[[NAN]], %{{.*}}, %[[SUM]]
// CHECK: %[[HALVES:.*]] = vector.bitcast %[[KEPT]] : vector<32xi32> to vector<64xi16>
// CHECK: vector.shuffle %[[HALVES]], %[[HALVES]] [1, 3, 5,
// NARROW-LABEL: func.func @rounded
// NARROW-NOT: vector.shuffle
func.func @rounded(%x: vector<32xf32>) -> vector<32xbf16> attributes {tileaa.kernel} {
  %y = arith.truncf %x : vector<32xf32> to vector<32xbf16>
  return %y : vector<32xbf16>
}

// Part of a vector goes the usual way.
// CHECK-LABEL: func.func @short
// CHECK-NOT: vector.shuffle
func.func @short(%x: vector<8xf32>) -> vector<8xbf16> attributes {tileaa.kernel} {
  %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %y : vector<8xbf16>
}
