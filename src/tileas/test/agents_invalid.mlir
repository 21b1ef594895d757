// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @one_region_without_warps() {
  // expected-error@+1 {{'tileas.agents' op has warps of 1 and registers of 2 regions: expected some for each of two}}
  tileas.agents warps = [4], registers = [0, 0] {
  }, {
  }
  return
}

// -----

func.func @registers_of_no_step() {
  // expected-error@+1 {{'tileas.agents' op has 100 registers a thread: expected a multiple of 8 from 24 to 256}}
  tileas.agents warps = [8, 4], registers = [216, 100] {
  }, {
  }
  return
}

// -----

#tile = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32} -> 64">
func.func @another_shape(%tile: tensor<128xf32, #tile>, %round: i32) {
  %exchange = tileas.create_exchange : <<64xf32, #shared>>
  // expected-error@+1 {{'tileas.cluster_sum' op passes a tile of shape 128 of 'f32' through a buffer of shape 64 of 'f32'}}
  %sum = tileas.cluster_sum %tile through %exchange round %round : tensor<128xf32, #tile>, <<64xf32, #shared>>
  return
}

// -----

#tile = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
func.func @other_elements(%tile: tensor<128xf16, #tile>, %round: i32) {
  %exchange = tileas.create_exchange : <<128xf16, #shared>>
  // expected-error@+1 {{'tileas.cluster_sum' op adds elements of type 'f16', expected f32 or i32}}
  %sum = tileas.cluster_sum %tile through %exchange round %round : tensor<128xf16, #tile>, <<128xf16, #shared>>
  return
}
