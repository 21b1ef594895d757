// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-materialize-convert-layout))' | FileCheck %s

// Two warps, each with half of the elements, in order or by turns.
#halves = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp: 64} -> 128">
#turns = #tileas.layout<"{register: 64, lane: 2 4 8 16 32, warp: 1} -> 128">
// The same elements of a warp in other lanes.
#lanes = #tileas.layout<"{register: 2, lane: 1 4 8 16 32, warp: 64} -> 128">

module {
  // Elements that go to another warp pass through shared memory.
  // CHECK-LABEL: func.func @between_warps
  // CHECK: %[[B:.*]] = tileas.alloc : <128xf32
  // CHECK-NEXT: tileas.write %{{.*}}, %[[B]]
  // CHECK-NEXT: tileas.read %[[B]]
  // CHECK-NOT: tileas.convert_layout
  func.func @between_warps(%x: tensor<128xf32, #halves>) -> tensor<128xf32, #turns> attributes {tileas.cta = #tileas.cta<warps = 2>} {
    %y = tileas.convert_layout %x : tensor<128xf32, #halves> -> tensor<128xf32, #turns>
    return %y : tensor<128xf32, #turns>
  }
  // Those that stay in their warp are shuffled, by tileas-to-nvvm.
  // CHECK-LABEL: func.func @within_warp
  // CHECK-NEXT: tileas.convert_layout
  // CHECK-NOT: tileas.alloc
  func.func @within_warp(%x: tensor<128xf32, #halves>) -> tensor<128xf32, #lanes> attributes {tileas.cta = #tileas.cta<warps = 2>} {
    %y = tileas.convert_layout %x : tensor<128xf32, #halves> -> tensor<128xf32, #lanes>
    return %y : tensor<128xf32, #lanes>
  }
}
