// RUN: tilewright-opt %s --canonicalize | FileCheck %s

#a = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp: 64} -> 128">
#b = #tileas.layout<"{register: 64, lane: 2 4 8 16 32, warp: 1} -> 128">
#c = #tileas.layout<"{register: 2, lane: 1 4 8 16 32, warp: 64} -> 128">

module {
  // A conversion to the layout that a tile has is the tile.
  // CHECK-LABEL: func.func @identity
  // CHECK-NEXT: return %arg0
  func.func @identity(%x: tensor<128xf32, #a>) -> tensor<128xf32, #a> {
    %y = tileas.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #a>
    return %y : tensor<128xf32, #a>
  }
  // There and back is the tile; there and on is one conversion.
  // CHECK-LABEL: func.func @chain
  // CHECK: %[[C:.*]] = tileas.convert_layout %arg0
  // CHECK-NOT: tileas.convert_layout
  // CHECK: return %arg0, %[[C]]
  func.func @chain(%x: tensor<128xf32, #a>) -> (tensor<128xf32, #a>, tensor<128xf32, #c>) {
    %y = tileas.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
    %z = tileas.convert_layout %y : tensor<128xf32, #b> -> tensor<128xf32, #a>
    %w = tileas.convert_layout %y : tensor<128xf32, #b> -> tensor<128xf32, #c>
    return %z, %w : tensor<128xf32, #a>, tensor<128xf32, #c>
  }
}
