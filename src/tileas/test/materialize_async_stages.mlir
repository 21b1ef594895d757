// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many stages a pipeline has: what the loop's other buffers leave, and one where there is no loop.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas),canonicalize,cse,func.func(tileas-materialize-async))' | FileCheck %s

// A product under a condition: its tiles are loaded once.
// CHECK-LABEL: func.func @conditional
// CHECK: tileas.create_pipeline of 2 : <1 x[<128x64xf16, {{.*}}, <64x128xf16,
func.func @conditional(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant 1 : i32
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f16, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], f16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %first = arith.cmpi slt, %x, %one : i32
  scf.if %first {
    %ta, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] padding zero : <[?, ?], f16, strides = [?, 1]> -> tensor<128x64xf16>
    %tb, %t1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] padding zero : <[?, ?], f16, strides = [?, 1]> -> tensor<64x128xf16>
    %s = tileaa.mma %ta, %tb, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %u = tileaa.store_view %s, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  }
  return
}

// The threads write two operands of 32 KB for one product; the stages of 32 KB have the rest of 227 KB.
// CHECK-LABEL: func.func @beside_written
// CHECK: tileas.create_pipeline of 2 : <5 x[<128x128xf16,
func.func @beside_written(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %ones = arith.constant dense<1.0> : tensor<128x128xf16>
  %twos = arith.constant dense<2.0> : tensor<128x128xf16>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f16, strides = [?, 1]>
  %vb = tileaa.make_view %b, shape[%d, %d], strides[%d] : <[?, ?], f16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %r = scf.for %i = %c0 to %d step %c128 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], f16, strides = [?, 1]> -> tensor<128x128xf16>
    %s = tileaa.mma %ta, %ones, %acc : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %tc, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : <[?, ?], f16, strides = [?, 1]> -> tensor<128x128xf16>
    %s2 = tileaa.mma %tc, %twos, %s : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %s2 : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// The producer fills stages while the consumers still transpose a tile of 64 KB before the loop.
// CHECK-LABEL: func.func @after_conversion
// CHECK: tileas.create_pipeline of 2 : <5 x[<128x64xf16, {{.*}}, <64x128xf16,
func.func @after_conversion(%a: i64, %n: i32, %b: i64, %c: i64, %e: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f16, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], f16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %ve = tileaa.make_view %e, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %te, %te0 = tileaa.load_view %ve[%c0, %c0] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<128x128xf32>
  %tt = tileaa.store_view %te, %ve[%c0, %c0] after %te0 dims [1, 0] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], f16, strides = [?, 1]> -> tensor<128x64xf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], f16, strides = [?, 1]> -> tensor<64x128xf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
