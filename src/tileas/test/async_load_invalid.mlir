// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

#c = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
#s = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
func.func @buffer(%v: !tileaa.view<[8, 8], f32, strides = [8, 1]>, %i: index, %stage: i32) {
  %p = tileas.create_pipeline of 0 : <2 x [<8x8xf32, #s>]>
  // expected-error@+1 {{'tileas.async_load' op copies into buffer 1 of stages with 1}}
  tileas.async_load %v[%i, %i] dims [0, 1] into %p[%stage, 1] by #c : <[8, 8], f32, strides = [8, 1]>, <2 x [<8x8xf32, #s>]>
  return
}

// -----

#c = #tileas.layout<"{lane: (0,1) (0,2) (1,0) (2,0) (4,0)} -> 8x4">
#s = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
func.func @shape(%v: !tileaa.view<[8, 8], f32, strides = [8, 1]>, %i: index, %stage: i32) {
  %p = tileas.create_pipeline of 0 : <2 x [<8x8xf32, #s>]>
  // expected-error@+1 {{'tileas.async_load' op copies a tile of shape 8x4 into a buffer of shape 8x8}}
  tileas.async_load %v[%i, %i] dims [0, 1] into %p[%stage, 0] by #c : <[8, 8], f32, strides = [8, 1]>, <2 x [<8x8xf32, #s>]>
  return
}

// -----

#c = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
#s = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
func.func @no_producer(%at: tensor<8x8xi64, #c>) {
  %p = tileas.create_pipeline of 1 : <2 x [<8x8xf32, #s>]>
  // expected-error@+1 {{'tileas.async_load_ptr' op has no stage: expected a producer around it, and no condition}}
  tileas.async_load_ptr %at into %p[0] : tensor<8x8xi64, #c> -> <2 x [<8x8xf32, #s>]>
  return
}

// -----

#c = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
#s = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
func.func @by_consumers(%at: tensor<8x8xi64, #c>) {
  %p = tileas.create_pipeline of 1 : <2 x [<8x8xf32, #s>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'tileas.async_load_ptr' op has no stage: expected a producer around it, and no condition}}
    tileas.async_load_ptr %at into %p[0] : tensor<8x8xi64, #c> -> <2 x [<8x8xf32, #s>]>
  }, {
  }
  return
}
