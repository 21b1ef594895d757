// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A producer waits for nothing that the consumers do: what comes after their stores is theirs to load.
// RUN: tilewright-opt %s --verify-diagnostics --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas),canonicalize,cse,func.func(tileas-materialize-async))' | FileCheck %s

// CHECK-LABEL: func.func @stored_before
// CHECK: tileas.agents
// CHECK: scf.for
// CHECK: tileaa.load_view
// CHECK: tileas.write
// CHECK: tileaa.store_view
// CHECK: }, {
// CHECK: tileas.producer_acquire
// CHECK-NEXT: tileas.tma_load
// CHECK-NEXT: tileas.producer_commit
func.func @stored_before(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c64 : index
  %k = arith.muli %iy, %c64 : index
  %none = arith.constant dense<1.0> : tensor<64x32xbf16>
  %r:2 = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero, %tok = %t) -> (tensor<64x64xf32>, !tileaa.token) {
    // expected-remark@+1 {{is not copied by the tensor memory accelerator: it depends on a write of the kernel}}
    %ta, %t0 = tileaa.load_view %va[%m, %i] after %tok dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    %w = tileaa.store_view %none, %va[%m, %i] after %t0 dims [0, 1] : tensor<64x32xbf16>, <[?, ?], bf16, strides = [?, 1]>
    scf.yield %s, %w : tensor<64x64xf32>, !tileaa.token
  }
  %u = tileaa.store_view %r#0, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// A view that is made inside of a condition is hoisted: its descriptor is for both agents.
// CHECK-LABEL: func.func @view_inside
// CHECK: %[[VIEW:.*]] = tileaa.make_view
// CHECK: tileas.make_tiled_tma_desc %[[VIEW]]
// CHECK: tileas.agents
// CHECK: tileas.tma_load
func.func @view_inside(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %x, %y, %z = tileaa.block_id
  %first = arith.cmpi slt, %x, %one : i32
  scf.if %first {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
      %tb, %t1 = tileaa.load_view %va[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  }
  return
}
