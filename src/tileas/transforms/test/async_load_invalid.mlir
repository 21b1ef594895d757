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
