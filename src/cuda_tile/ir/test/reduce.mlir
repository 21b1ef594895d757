// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | FileCheck %s --check-prefix=BITS

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
  // Numbers of fnv8E5M3FNU are read by that format, whose bits the constant has too.
  // CHECK-LABEL: entry @numbers_of_own_format
  entry @numbers_of_own_format() {
    %scales = constant <fnv8E5M3FNU: 1.0> : tile<8xfnv8E5M3FNU>
    %i = constant <i64: 0> : tile<8xi64>
    // CHECK: identities=[1.000000e+00 : !cuda_tile.fnv8E5M3FNU] :
    // BITS: identities = [7.812500e-03 : !cuda_tile.fnv8E5M3FNU]
    %0 = scan %scales dim=0 reverse=false identities=[1.0 : !cuda_tile.fnv8E5M3FNU] : tile<8xfnv8E5M3FNU> -> tile<8xfnv8E5M3FNU>
    (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>) {
      yield %a : tile<fnv8E5M3FNU>
    }
    // CHECK: identities=[1.000000e+00 : !cuda_tile.fnv8E5M3FNU] :
    // BITS: identities = [7.812500e-03 : !cuda_tile.fnv8E5M3FNU]
    %1 = scan %scales dim=0 reverse=false identities=[0x78 : !cuda_tile.fnv8E5M3FNU] : tile<8xfnv8E5M3FNU> -> tile<8xfnv8E5M3FNU>
    (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>) {
      yield %a : tile<fnv8E5M3FNU>
    }
    // CHECK: identities=[0xFF : !cuda_tile.fnv8E5M3FNU, -1 : i64] :
    %2:2 = reduce %scales, %i dim=0 identities=[0xFF : !cuda_tile.fnv8E5M3FNU, -1 : i64] : tile<8xfnv8E5M3FNU>, tile<8xi64> -> tile<fnv8E5M3FNU>, tile<i64>
    (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>, %j: tile<i64>, %k: tile<i64>) {
      yield %a, %j : tile<fnv8E5M3FNU>, tile<i64>
    }
    return
  }
}
