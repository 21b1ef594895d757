// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @mma {
  // CHECK-LABEL: entry @products
  entry @products() {
    %a = constant <f16: 0.0> : tile<4x8xf16>
    %b = constant <f16: 0.0> : tile<8x16xf16>
    %c = constant <f32: 0.0> : tile<4x16xf32>
    // CHECK: mmaf %{{.*}}, %{{.*}}, %{{.*}} : tile<4x8xf16>, tile<8x16xf16>, tile<4x16xf32>
    %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x16xf16>, tile<4x16xf32>
    %d = constant <f8E5M2: 0.0> : tile<2x4x8xf8E5M2>
    %e = constant <f8E5M2: 0.0> : tile<2x8x4xf8E5M2>
    %f = constant <f16: 0.0> : tile<2x4x4xf16>
    // CHECK: mmaf %{{.*}}, %{{.*}}, %{{.*}} fast_acc : tile<2x4x8xf8E5M2>, tile<2x8x4xf8E5M2>, tile<2x4x4xf16>
    %1 = mmaf %d, %e, %f fast_acc : tile<2x4x8xf8E5M2>, tile<2x8x4xf8E5M2>, tile<2x4x4xf16>
    %g = constant <i8: 1> : tile<4x4xi8>
    %h = constant <i32: 0> : tile<4x4xi32>
    // CHECK: mmai %{{.*}}, %{{.*}}, %{{.*}} signed unsigned : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
    %2 = mmai %g, %g, %h signed unsigned : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
    return
  }
  // CHECK-LABEL: entry @scaled
  entry @scaled() {
    %a = constant <f4E2M1FN: 1.0> : tile<4x64xf4E2M1FN>
    %b = constant <f4E2M1FN: 1.0> : tile<64x4xf4E2M1FN>
    %c = constant <f32: 0.0> : tile<4x4xf32>
    %s = constant <f8E4M3FN: 1.0> : tile<4x4xf8E4M3FN>
    // CHECK: mmaf_scaled %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tile<4x64xf4E2M1FN>, tile<64x4xf4E2M1FN>, tile<4x4xf32>, tile<4x4xf8E4M3FN>, tile<4x4xf8E4M3FN>
    %0 = mmaf_scaled %a, %b, %c, %s, %s : tile<4x64xf4E2M1FN>, tile<64x4xf4E2M1FN>, tile<4x4xf32>, tile<4x4xf8E4M3FN>, tile<4x4xf8E4M3FN>
    return
  }
}
