// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#line = affine_map<(d0) -> (d0)>

// Positions from the first lane to the last are inside of a bound if both are, and do not wrap: no mask then.
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: %[[BOUND:[a-z0-9]+]]: i64
// CHECK: scf.for
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST:.*]], %c63
// CHECK: %[[GROWS:.*]] = arith.cmpi ule, %[[FIRST]], %[[LAST]]
// CHECK: arith.cmpi ult, %[[FIRST]], %[[BOUND]]
// CHECK: arith.cmpi ult, %[[LAST]], %[[BOUND]]
// CHECK: scf.if
// CHECK: llvm.load
// CHECK: else
// CHECK: arith.cmpi ult, {{.*}} vector<64xi64>
// CHECK: llvm.intr.masked.load
func.func @bounded(%bound: i64, %base: i64, %from: i64, %y: memref<256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<256xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    %size = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %position = arith.addi %at, %from : i64
    %bytes = arith.muli %position, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %position, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// Every second lane, say.
// CHECK-LABEL: func.func @other_mask
// CHECK-NOT: scf.if
// CHECK: llvm.intr.masked.load
func.func @other_mask(%mask: memref<256xi32>, %base: i64, %y: memref<256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%mask : memref<256xi32>) outs(%y : memref<256xf32>) {
  ^bb0(%m: i32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %size = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %bytes = arith.muli %at, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ne, %m, %none : i32
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}
