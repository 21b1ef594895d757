// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-expand-math --verify-each | FileCheck %s
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v3 --cpu-expand-math --verify-each | FileCheck %s --check-prefix=NARROW

// The accumulator is the second operand, and stays where the element is NaN.
// CHECK-LABEL: func.func @larger
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord, %arg0, %arg0
// CHECK: %[[WINS:.*]] = arith.cmpf ogt, %arg1, %arg0
// CHECK: %[[MAX:.*]] = arith.select %[[WINS]], %arg1, %arg0
// CHECK: arith.select %[[NUMBER]], %[[MAX]], %arg1
// NARROW-LABEL: func.func @larger
// NARROW: arith.maxnumf %arg0, %arg1
func.func @larger(%element: vector<16xf32>, %accumulator: vector<16xf32>) -> vector<16xf32> attributes {tileaa.kernel} {
  %y = arith.maxnumf %element, %accumulator : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func.func @smaller
// CHECK: arith.cmpf olt, %arg1, %arg0
func.func @smaller(%element: vector<8xf64>, %accumulator: vector<8xf64>) -> vector<8xf64> attributes {tileaa.kernel} {
  %y = arith.minnumf %element, %accumulator : vector<8xf64>
  return %y : vector<8xf64>
}

// A scalar is left to LLVM, and so is what cannot be NaN, which is one instruction.
// CHECK-LABEL: func.func @left
// CHECK: arith.maxnumf %arg0, %arg1 : f32
// CHECK: arith.maxnumf %arg2, %arg3 fastmath<nnan> : vector<16xf32>
func.func @left(%x: f32, %a: f32, %v: vector<16xf32>, %b: vector<16xf32>) -> (f32, vector<16xf32>)
    attributes {tileaa.kernel} {
  %y = arith.maxnumf %x, %a : f32
  %w = arith.maxnumf %v, %b fastmath<nnan> : vector<16xf32>
  return %y, %w : f32, vector<16xf32>
}

// Two registers, then the halves of one, then lanes.
// CHECK-LABEL: func.func @lanes
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.256"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.128"
// CHECK: vector.shuffle {{.*}} [2, 3, 2, 2]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.128"
// CHECK: vector.shuffle {{.*}} [1, 1, 1, 1]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.128"
// NARROW-LABEL: func.func @lanes
// NARROW: vector.reduction <maxnumf>
func.func @lanes(%x: vector<32xf32>) -> f32 attributes {tileaa.kernel} {
  %y = vector.reduction <maxnumf>, %x : vector<32xf32> into f32
  return %y : f32
}

// Less than a register, a sum: as they are.
// CHECK-LABEL: func.func @others
// CHECK: vector.reduction <minnumf>
// CHECK: vector.reduction <add>
func.func @others(%x: vector<2xf32>, %z: vector<16xf32>) -> (f32, f32) attributes {tileaa.kernel} {
  %y = vector.reduction <minnumf>, %x : vector<2xf32> into f32
  %s = vector.reduction <add>, %z : vector<16xf32> into f32
  return %y, %s : f32, f32
}
