// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --canonicalize | FileCheck %s --check-prefix=FOLDED

cuda_tile.module @m {
// CHECK-LABEL: func.func @functions(
entry @functions(%a: tile<f32>, %b: tile<f32>) {
  // CHECK: math.exp %{{.*}} : f32
  %0 = exp %a : tile<f32>
  // CHECK: tileaa.float exp2 %arg0 flush : f32
  %1 = exp2 %a flush_to_zero : tile<f32>
  // CHECK: math.tanh %{{.*}} fastmath<afn> : f32
  %2 = tanh %a rounding<approx> : tile<f32>
  // CHECK: math.atan2 %arg0, %{{.*}} : f32
  %3 = atan2 %a, %b : tile<f32>
  // CHECK: math.powf %arg0, %arg1 : f32
  %4 = fpowf %a, %b : tile<f32>
  // CHECK: math.rsqrt
  %5 = rsqrt %a : tile<f32>
  // CHECK: math.sqrt
  %6 = sqrt %a : tile<f32>
  return
}

// The angle of the origin is that of the x axis on its side: upstream's folder takes it for NaN.
// FOLDED-LABEL: func.func @origin(
entry @origin(%out: tile<ptr<f32>>) {
  // FOLDED-NOT: 0x7FC00000
  // FOLDED: tileaa.store_view
  %y = constant <f32: [0.0, -0.0, 0.0, -0.0]> : tile<4xf32>
  %x = constant <f32: [0.0, 0.0, -0.0, -0.0]> : tile<4xf32>
  %angle = atan2 %y, %x : tile<4xf32>
  %view = make_tensor_view %out, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %tiles = make_partition_view %view : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %stored = store_view_tko weak %angle, %tiles[%zero] : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
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
