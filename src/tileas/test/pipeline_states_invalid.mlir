// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @states(%p: !ring, %s: !tileas.pipeline_state) {
  // expected-error@+1 {{'tileas.consumer_release' op has only one of the states before and after it}}
  tileas.consumer_release %p at %s : !ring
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @states(%p: !ring) {
  // expected-error@+1 {{'tileas.producer_commit' op has only one of the states before and after it}}
  %s = tileas.producer_commit %p : !ring -> !tileas.pipeline_state
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @copies(%p: !ring, %addresses: tensor<128xi64, #x>, %stage: i32, %s: !tileas.pipeline_state) {
  // expected-error@+1 {{'tileas.async_load_ptr' op has a stage and an agent's state: expected one of them}}
  tileas.async_load_ptr %addresses into %p[%stage, 0] at %s : tensor<128xi64, #x> -> !ring
  return
}

// -----

#bytes = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128} -> 256">
func.func @maps(%v: !tileaa.view<[?], f32, strides = [1]>, %scratch: !tileas.buffer<256xi8, #bytes>) {
  // expected-error@+1 {{'tileas.write_tma_descs' op has 1 views, 2 maps and 1 results: expected as many of each}}
  %d = tileas.write_tma_descs %v [#tileas.tensor_map<box [64] swizzle 16 of f32>, #tileas.tensor_map<box [32] swizzle 16 of f32>] by %scratch : <256xi8, #bytes>, !tileaa.view<[?], f32, strides = [1]> -> !tileas.tma_desc
  return
}

// -----

#bytes = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128} -> 256">
func.func @boxes(%v: !tileaa.view<[?], f32, strides = [1]>, %scratch: !tileas.buffer<256xi8, #bytes>) {
  // expected-error@+1 {{'tileas.write_tma_descs' op has boxes of 2 dimensions of a view of 1}}
  %d = tileas.write_tma_descs %v [#tileas.tensor_map<box [64, 2] swizzle 16 of f32>] by %scratch : <256xi8, #bytes>, !tileaa.view<[?], f32, strides = [1]> -> !tileas.tma_desc
  return
}

// -----

#x = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp: 0 0} -> 64">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @writes(%p: !ring, %tile: tensor<64xf32, #x>) {
  // expected-error@+1 {{'tileas.producer_write' op writes 'tensor<64xf32}}
  tileas.producer_write %tile into %p[0] : tensor<64xf32, #x>, !ring
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @writes(%p: !ring, %tile: tensor<128xf32, #x>) {
  // expected-error@+1 {{'tileas.producer_write' op writes buffer 1 of a stage of 1}}
  tileas.producer_write %tile into %p[1] : tensor<128xf32, #x>, !ring
  return
}
