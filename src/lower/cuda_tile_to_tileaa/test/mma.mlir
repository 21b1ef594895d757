// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @products(
entry @products() {
  %a = constant <bf16: 1.0> : tile<8x4xbf16>
  %b = constant <bf16: 1.0> : tile<4x16xbf16>
  %c = constant <f32: 0.0> : tile<8x16xf32>
  // CHECK: tileaa.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xbf16>, tensor<4x16xbf16>, tensor<8x16xf32>
  %0 = mmaf %a, %b, %c : tile<8x4xbf16>, tile<4x16xbf16>, tile<8x16xf32>
  %d = constant <tf32: 1.0> : tile<2x8x4xtf32>
  %e = constant <tf32: 1.0> : tile<2x4x16xtf32>
  %f = constant <f32: 0.0> : tile<2x8x16xf32>
  // CHECK: tileaa.mma %{{.*}}, %{{.*}}, %{{.*}} {format = tf32} : tensor<2x8x4xf32>, tensor<2x4x16xf32>, tensor<2x8x16xf32>
  %1 = mmaf %d, %e, %f : tile<2x8x4xtf32>, tile<2x4x16xtf32>, tile<2x8x16xf32>
  %g = constant <i8: 1> : tile<8x4xi8>
  %h = constant <i8: 1> : tile<4x16xi8>
  %i = constant <i32: 0> : tile<8x16xi32>
  // CHECK: tileaa.mma %{{.*}}, %{{.*}}, %{{.*}} {unsignedLhs} : tensor<8x4xi8>
  %2 = mmai %g, %h, %i unsigned signed : tile<8x4xi8>, tile<4x16xi8>, tile<8x16xi32>
  %j = constant <f8E4M3FN: 1.0> : tile<8x32xf8E4M3FN>
  %k = constant <f8E4M3FN: 1.0> : tile<32x16xf8E4M3FN>
  %l = constant <f8E8M0FNU: 1.0> : tile<8x1xf8E8M0FNU>
  %m = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
  %n = constant <f32: 0.0> : tile<8x16xf32>
  // CHECK: tileaa.mma_scaled %{{.*}}, %{{.*}}, %{{.*}} scaled by %{{.*}}, %{{.*}} as f8E4M3FN, f8E8M0FNU : tensor<8x32xi8>,
  %3 = mmaf_scaled %j, %k, %n, %l, %m : tile<8x32xf8E4M3FN>, tile<32x16xf8E4M3FN>, tile<8x16xf32>, tile<8x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>
  return
}
}
