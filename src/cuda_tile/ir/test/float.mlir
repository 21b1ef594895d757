// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Float arithmetic. Rounding to nearest even is not printed.
cuda_tile.module @float {
  // CHECK-LABEL: entry @arithmetic
  entry @arithmetic(%a: tile<f32>, %b: tile<f32>) {
    // CHECK: addf %arg0, %arg1  : tile<f32>
    %sum = addf %a, %b : tile<f32>
    // CHECK: subf %arg0, %arg1 rounding<zero> : tile<f32>
    %difference = subf %a, %b rounding<zero> : tile<f32>
    // CHECK: mulf %arg0, %arg1 rounding<negative_inf> flush_to_zero : tile<f32>
    %product = mulf %a, %b rounding<negative_inf> flush_to_zero : tile<f32>
    // CHECK: divf %arg0, %arg1 rounding<approx> : tile<f32>
    %quotient = divf %a, %b rounding<approx> : tile<f32>
    // CHECK: fma %arg0, %arg1, %arg0  flush_to_zero : tile<f32>
    %fma = fma %a, %b, %a flush_to_zero : tile<f32>
    // CHECK: remf %arg0, %arg1 : tile<f32>
    %rest = remf %a, %b : tile<f32>
    // CHECK: maxf %arg0, %arg1 flush_to_zero propagate_nan : tile<f32>
    %larger = maxf %a, %b flush_to_zero propagate_nan : tile<f32>
    // CHECK: minf %arg0, %arg1 : tile<f32>
    %smaller = minf %a, %b : tile<f32>
    // CHECK: negf %arg0 : tile<f32>
    %negative = negf %a : tile<f32>
    // CHECK: absf %arg0 : tile<f32>
    %absolute = absf %a : tile<f32>
    // CHECK: cmpf greater_than unordered %arg0, %arg1 : tile<f32> -> tile<i1>
    %greater = cmpf greater_than unordered %a, %b : tile<f32> -> tile<i1>
    return
  }
}
