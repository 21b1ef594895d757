// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loaded tile that several products read, each with its dimensions in an order of its own, is staged once.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas),canonicalize,cse,func.func(tileas-materialize-async))' | FileCheck %s

// CHECK-DAG: #[[BYTES:.+]] = #tileas.layout<"{offset: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (8,1) (16,2) (32,4) {{.*}}} -> 128x64">
// CHECK-DAG: #[[VIEW:.+]] = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) {{.*}}} -> 64x128">
// CHECK-LABEL: func.func @keys_are_values
// CHECK: %[[RING:.+]] = tileas.create_pipeline of {{.*}} x[<128x64xbf16, #[[BYTES]]>]
// CHECK: scf.for
// CHECK: %[[KEYS:.+]] = tileas.consumer_read %[[RING]][0] {{.*}} -> <128x64xbf16, #[[BYTES]]>
// CHECK: %[[VALUES:.+]] = tileas.consumer_read %[[RING]][0] {{.*}} -> <64x128xbf16, #[[VIEW]]>
// CHECK: tileas.mma {{.*}}%[[KEYS]]
// CHECK: tileas.mma {{.*}}%[[VALUES]]
// CHECK-NEXT: tileas.consumer_release %[[RING]]
func.func @keys_are_values(%q: i64, %n: i32, %k: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pq = tileaa.assume_div_by %q, 16 : i64
  %pk = tileaa.assume_div_by %k, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %vq = tileaa.make_view %pq, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vk = tileaa.make_view %pk, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %tq, %t0 = tileaa.load_view %vq[%c0, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %tk, %t1 = tileaa.load_view %vk[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
    %kt = tileaa.permute %tk by [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %s = tileaa.mma %tq, %kt, %none : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %p = tileaa.convert %s : tensor<64x64xf32> as f32 to tensor<64x64xbf16> as bf16
    %s2 = tileaa.mma %p, %tk, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    scf.yield %s2 : tensor<64x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// Threads need the tile as well: they read it from the stage, and write it for the products.
// CHECK-LABEL: func.func @added_by_threads
// CHECK: scf.for
// CHECK: tileas.consumer_wait %[[KEYS:.+]] :
// CHECK: tileas.read
// CHECK-NEXT: tileas.consumer_release %[[KEYS]] :
// CHECK: tileas.write
// CHECK: tileas.write
func.func @added_by_threads(%q: i64, %n: i32, %k: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pq = tileaa.assume_div_by %q, 16 : i64
  %pk = tileaa.assume_div_by %k, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %vq = tileaa.make_view %pq, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vk = tileaa.make_view %pk, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %tq, %t0 = tileaa.load_view %vq[%c0, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %tk, %t1 = tileaa.load_view %vk[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
    %kt = tileaa.permute %tk by [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %s = tileaa.mma %tq, %kt, %none : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %p = tileaa.convert %s : tensor<64x64xf32> as f32 to tensor<64x64xbf16> as bf16
    %s1 = tileaa.mma %p, %tk, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %w = tileaa.convert %tk : tensor<64x128xbf16> as bf16 to tensor<64x128xf32> as f32
    %s2 = arith.addf %s1, %w : tensor<64x128xf32>
    scf.yield %s2 : tensor<64x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
