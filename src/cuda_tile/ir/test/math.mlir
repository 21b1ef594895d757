// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @math {
  // CHECK-LABEL: entry @functions
  entry @functions(%x: tile<f32>, %y: tile<f32>, %n: tile<i32>) {
    // CHECK: ceil %arg0 : tile<f32>
    %0 = ceil %x : tile<f32>
    // CHECK: floor %arg0 : tile<f32>
    %1 = floor %x : tile<f32>
    // CHECK: cos %arg0 : tile<f32>
    %2 = cos %x : tile<f32>
    // CHECK: cosh %arg0 : tile<f32>
    %3 = cosh %x : tile<f32>
    // CHECK: sin %arg0 : tile<f32>
    %4 = sin %x : tile<f32>
    // CHECK: sinh %arg0 : tile<f32>
    %5 = sinh %x : tile<f32>
    // CHECK: tan %arg0 : tile<f32>
    %6 = tan %x : tile<f32>
    // CHECK: log %arg0 : tile<f32>
    %7 = log %x : tile<f32>
    // CHECK: log2 %arg0 : tile<f32>
    %8 = log2 %x : tile<f32>
    // CHECK: exp2 %arg0 flush_to_zero : tile<f32>
    %9 = exp2 %x flush_to_zero : tile<f32>
    // CHECK: rsqrt %arg0 : tile<f32>
    %10 = rsqrt %x : tile<f32>
    // CHECK: sqrt %arg0 rounding<approx> flush_to_zero : tile<f32>
    %11 = sqrt %x rounding<approx> flush_to_zero : tile<f32>
    // CHECK: exp %arg0  : tile<f32>
    %12 = exp %x rounding<full> : tile<f32>
    // CHECK: tanh %arg0 rounding<approx> : tile<f32>
    %13 = tanh %x rounding<approx> : tile<f32>
    // CHECK: atan2 %arg0, %arg1 : tile<f32>
    %14 = atan2 %x, %y : tile<f32>
    // CHECK: fpowf %arg0, %arg1 : tile<f32>
    %15 = fpowf %x, %y : tile<f32>
    // CHECK: fpowi %arg0, %arg2 : tile<f32>, tile<i32>
    %16 = fpowi %x, %n : tile<f32>, tile<i32>
    return
  }
}
