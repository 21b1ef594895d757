// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --verify-tileaa --verify-diagnostics --split-input-file

func.func @legal(%p: i64, %n: i32) attributes {tileaa.kernel} {
  %i = arith.index_cast %n : i32 to index
  %v = tileaa.make_view %p, shape[%i], strides[] : <[?], f32, strides = [1]>
  %x, %t = tileaa.load_view %v[%i] dims [0] : <[?], f32, strides = [1]> -> tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{func.func is illegal on the tileaa level, expected a func.func with tileaa.kernel}}
func.func @plain() {
  return
}

// -----

// expected-error @+1 {{parameter 1 of kernel @k is 'tensor<4xf32>', expected an integer or a float}}
func.func @k(%p: i64, %x: tensor<4xf32>) attributes {tileaa.kernel} {
  return
}

// -----

// Every violation is reported.
func.func @k(%p: f32) attributes {tileaa.kernel} {
  // expected-error @+1 {{tensor.empty is illegal on the tileaa level}}
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{ub.poison has a result of type 'memref<4xf32>', which is illegal on the tileaa level}}
  %1 = ub.poison : memref<4xf32>
  // expected-error @+1 {{ub.poison has a result of type 'vector<4xf32>', which is illegal on the tileaa level}}
  %2 = ub.poison : vector<4xf32>
  // expected-error @+1 {{arith.negf has an operand of type 'vector<4xf32>', which is illegal on the tileaa level}}
  %3 = arith.negf %2 : vector<4xf32>
  return
}
