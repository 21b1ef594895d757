// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @reduce {
  // CHECK-LABEL: entry @folds
  entry @folds() {
    %x = constant <f32: 1.0> : tile<4x8xf32>
    %i = constant <i32: 0> : tile<4x8xi32>
    // CHECK: %reduce = reduce %cst_1_f32 dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
    // CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %sum = reduce %x dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    // CHECK: %reduce_0:2 = reduce %cst_1_f32, %cst_0_i32 dim=0 identities=[0xFF800000 : f32, 0 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<8xf32>, tile<8xi32>
    // CHECK-NEXT: (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    %best:2 = reduce %x, %i dim=0 identities=[0xFF800000 : f32, 0 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<8xf32>, tile<8xi32>
    (%a: tile<f32>, %b: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
      %less = cmpf less_than ordered %a, %b : tile<f32> -> tile<i1>
      %v = select %less, %b, %a : tile<i1>, tile<f32>
      %w = select %less, %k, %j : tile<i1>, tile<i32>
      yield %v, %w : tile<f32>, tile<i32>
    }
    // CHECK: scan %cst_0_i32 dim=1 reverse=true identities=[0 : i32] : tile<4x8xi32> -> tile<4x8xi32>
    %prefix = scan %i dim=1 reverse=true identities=[0 : i32] : tile<4x8xi32> -> tile<4x8xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    return
  }
}
