// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @shape {
  // CHECK-LABEL: entry @shapes
  entry @shapes(%i: tile<i32>, %x: tile<f32>) {
    // CHECK: %[[IOTA:.*]] = iota : tile<8xi32>
    %iota = iota : tile<8xi32>
    // CHECK: %reshape = reshape %[[IOTA]] : tile<8xi32> -> tile<1x8xi32>
    %row = reshape %iota : tile<8xi32> -> tile<1x8xi32>
    // CHECK: %bcast = broadcast %reshape : tile<1x8xi32> -> tile<4x8xi32>
    %tile = broadcast %row : tile<1x8xi32> -> tile<4x8xi32>
    // CHECK: permute %bcast [1, 0] : tile<4x8xi32> -> tile<8x4xi32>
    %turned = permute %tile [1, 0] : tile<4x8xi32> -> tile<8x4xi32>
    // CHECK: cat %bcast, %bcast dim = 0 : tile<4x8xi32>, tile<4x8xi32> -> tile<8x8xi32>
    %double = cat %tile, %tile dim = 0 : tile<4x8xi32>, tile<4x8xi32> -> tile<8x8xi32>
    // CHECK: %[[PART:.*]] = extract %bcast[%arg0, %arg0] : tile<4x8xi32> -> tile<2x4xi32>
    %part = extract %tile[%i, %i] : tile<4x8xi32> -> tile<2x4xi32>
    // CHECK: insert %[[PART]], %bcast[%arg0, %arg0] : tile<2x4xi32>, tile<4x8xi32>
    %patched = insert %part, %tile[%i, %i] : tile<2x4xi32>, tile<4x8xi32>
    // CHECK: %[[LESS:.*]] = cmpi less_than
    %less = cmpi less_than %tile, %patched, signed : tile<4x8xi32> -> tile<4x8xi1>
    // CHECK: select %[[LESS]], %bcast, %bcast : tile<4x8xi1>, tile<4x8xi32>
    %chosen = select %less, %tile, %tile : tile<4x8xi1>, tile<4x8xi32>
    return
  }
}
