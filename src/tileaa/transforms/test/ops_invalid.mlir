// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --verify-diagnostics --split-input-file

func.func @operands(%x: f32) -> f32 {
  // expected-error @+1 {{fma has 2 operands, expected 3}}
  %0 = tileaa.float fma %x, %x : f32
  return %0 : f32
}

// -----

func.func @rounding(%x: f32) -> f32 {
  // expected-error @+1 {{max does not round by zero}}
  %0 = tileaa.float max %x, %x rounding zero : f32
  return %0 : f32
}

// -----

func.func @away(%x: f32) -> f32 {
  // expected-error @+1 {{add does not round by nearest_away}}
  %0 = tileaa.float add %x, %x rounding nearest_away : f32
  return %0 : f32
}

// -----

func.func @type(%x: tf32) -> tf32 {
  // expected-error @+1 {{computes in 'tf32', expected f16, bf16, f32 or f64}}
  %0 = tileaa.float add %x, %x : tf32
  return %0 : tf32
}

// -----

func.func @storage(%x: i16) -> f32 {
  // expected-error @+1 {{from 'f8E5M2' in 'i16', expected it in 'i8'}}
  %0 = tileaa.convert %x : i16 as f8E5M2 to f32 as f32
  return %0 : f32
}

// -----

func.func @integers(%x: i16) -> i8 {
  // expected-error @+1 {{from 'i16' to 'i8', expected a float on one side}}
  %0 = tileaa.convert %x : i16 as i16 to i8 as i8
  return %0 : i8
}

// -----

func.func @format(%x: index) -> f32 {
  // expected-error @+1 {{operand #0 must be number, or a tile or vector of numbers, but got 'index'}}
  %0 = tileaa.convert %x : index as index to f32 as f32
  return %0 : f32
}

// -----

func.func @pairs_apart(%a: tensor<8xf32>, %b: tensor<8xi32>, %zero: f32, %none: i32) -> (f32, i32) {
  // expected-error@below {{has a body whose argument 1 is 'i32', expected 'f32' as source 0 has}}
  %0, %1 = tileaa.reduce %a, %b from %zero, %none along 0 {
  ^bb0(%p: f32, %m: i32, %q: f32, %n: i32):
    tileaa.yield %p, %m : f32, i32
  } : (tensor<8xf32>, tensor<8xi32>, f32, i32) -> (f32, i32)
  return %0, %1 : f32, i32
}

// -----

func.func @exclusive_without_layout(%x: tensor<8xf32>, %zero: f32) -> tensor<8xf32> {
  // expected-error@+1 {{'tileaa.scan' op is exclusive: expected tiles with layouts, got 'tensor<8xf32>'}}
  %0 = tileaa.scan %x from %zero along 0 exclusive {
  ^bb0(%p: f32, %q: f32):
    tileaa.yield %p : f32
  } : (tensor<8xf32>, f32) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @load_that_releases(%p: i64) {
  // expected-error@+1 {{'tileaa.load_ptr' op has ordering 'release', expected relaxed or acquire}}
  %0, %t = tileaa.load_ptr release %p : i64, -> f32
  return
}

// -----

func.func @store_that_acquires(%p: i64, %x: f32) {
  // expected-error@+1 {{'tileaa.store_ptr' op has ordering 'acq_rel', expected relaxed or release}}
  %t = tileaa.store_ptr acq_rel %p, %x : i64, f32,
  return
}

// -----

func.func @load_that_acquires_and_streams(%p: i64) {
  // expected-error@+1 {{'tileaa.load_ptr' op has ordering 'acquire' and cache 'streaming', expected one of them}}
  %0, %t = tileaa.load_ptr acquire %p cache streaming : i64, -> f32
  return
}

// -----

func.func @unknown_cache(%v: !tileaa.view<[8], f32, strides = [1]>, %i: index) {
  // expected-error@+1 {{a cache policy 'volatile', expected default or streaming}}
  %x, %t = tileaa.load_view %v[%i] dims [0] cache volatile : <[8], f32, strides = [1]> -> tensor<8xf32>
  return
}

// -----

func.func @unknown_padding(%v: !tileaa.view<[8], f32, strides = [1]>, %i: index) {
  // expected-error@+2 {{expected ::tilewright::tileaa::Padding to be one of: zero, neg_zero, nan, pos_inf, neg_inf}}
  // expected-error@+1 {{failed to parse Tileaa_PaddingAttr parameter 'value' which is to be a `::tilewright::tileaa::Padding`}}
  %0, %t = tileaa.load_view %v[%i] dims [0] padding one : <[8], f32, strides = [1]> -> tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{has hints 3 : i64 for 'sm_90', expected a dictionary}}
func.func @hints_without_names() attributes {tileaa.hints = #tileaa.hints<{sm_90 = 3}>} {
  return
}
