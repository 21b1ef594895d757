// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @functions(
entry @functions(%a: tile<f32>, %b: tile<f32>) {
  // CHECK: math.exp %{{.*}} : f32
  %0 = exp %a : tile<f32>
  // CHECK: tileaa.float exp2 %arg0 flush : f32
  %1 = exp2 %a flush_to_zero : tile<f32>
  // CHECK: math.tanh %{{.*}} fastmath<afn> : f32
  %2 = tanh %a rounding<approx> : tile<f32>
  // CHECK: math.atan2 %arg0, %arg1 : f32
  %3 = atan2 %a, %b : tile<f32>
  // CHECK: math.powf %arg0, %arg1 : f32
  %4 = fpowf %a, %b : tile<f32>
  // CHECK: math.rsqrt
  %5 = rsqrt %a : tile<f32>
  // CHECK: math.sqrt
  %6 = sqrt %a : tile<f32>
  return
}

// Narrow floats are computed in f32 and rounded once.
// CHECK-LABEL: func.func @narrow(
entry @narrow(%a: tile<bf16>) {
  // CHECK: %[[WIDE:.*]] = arith.extf %arg0 : bf16 to f32
  // CHECK: %[[SIN:.*]] = math.sin %[[WIDE]] : f32
  // CHECK: arith.truncf %[[SIN]] : f32 to bf16
  %0 = sin %a : tile<bf16>
  return
}
}
