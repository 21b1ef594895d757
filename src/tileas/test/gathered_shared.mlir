// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathered rows that two products of an iteration multiply, as those of gated experts.
// RUN: tilewright-opt %s --split-input-file --tilewright-tileas=arch=sm_90 | FileCheck %s

// The producer gathers the rows with the first product's other operand, and loads the second's by itself.
// CHECK-LABEL: func.func @gathered_for_both
// CHECK-DAG: %[[P:.*]] = tileas.create_pipeline of 1 : <{{[0-9]+}} x[<64x64xbf16, #{{.*}}>, <64x64xbf16, #{{.*}}>]>
// CHECK-DAG: %[[Q:.*]] = tileas.create_pipeline of 1 : <{{[0-9]+}} x[<64x64xbf16, #{{[^>]*}}>]>
// CHECK: tileas.agents
// CHECK: %[[A:.*]] = tileas.consumer_read %[[P]][0]
// CHECK: %[[B:.*]] = tileas.consumer_read %[[P]][1]
// CHECK: tileas.mma <wgmma m64n64k16> %[[A]], %[[B]]
// CHECK: %[[C:.*]] = tileas.consumer_read %[[Q]][0]
// CHECK: tileas.mma <wgmma m64n64k16> %[[A]], %[[C]]
// CHECK: }, {
// CHECK: tileas.async_load_ptr %{{.*}} mask %{{.*}} into %[[P]][0]
// CHECK: tileas.tma_load %{{.*}} into %[[P]][1]
// CHECK: tileas.tma_load %{{.*}} into %[[Q]][0]
func.func @gathered_for_both(%a: i64, %stride: i32, %rows: i64, %b: i64, %b2: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<2> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pb2 = tileaa.assume_div_by %b2, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vb2 = tileaa.make_view %pb2, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vr = tileaa.make_view %rows, shape[%d], strides[] : <[?], i32, strides = [1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy0 = arith.index_cast %y : i32 to index
  %c64i = arith.constant 64 : index
  %iy = arith.muli %iy0, %c64i : index
  %r, %t9 = tileaa.load_view %vr[%ix] after %t dims [0] padding zero : <[?], i32, strides = [1]> -> tensor<64xi32>
  %rr = tileaa.reshape %r : tensor<64xi32> -> tensor<64x1xi32>
  %rl = arith.extsi %rr : tensor<64x1xi32> to tensor<64x1xi64>
  %sl = arith.extsi %st : i32 to i64
  %sb = tileaa.broadcast %sl : i64 -> tensor<64x1xi64>
  %ro = arith.muli %rl, %sb : tensor<64x1xi64>
  %rb = tileaa.broadcast %ro : tensor<64x1xi64> -> tensor<64x64xi64>
  %base = tileaa.broadcast %pa : i64 -> tensor<64x64xi64>
  %lane = tileaa.iota : tensor<64xi32>
  %nl = arith.extsi %nn : i32 to i64
  %nb = tileaa.broadcast %nl : i64 -> tensor<1x64xi64>
  %sum:2 = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero, %acc2 = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %k = tileaa.broadcast %i : i32 -> tensor<64xi32>
    %kk = arith.addi %k, %lane : tensor<64xi32>
    %kr = tileaa.reshape %kk : tensor<64xi32> -> tensor<1x64xi32>
    %kl = arith.extsi %kr : tensor<1x64xi32> to tensor<1x64xi64>
    %ki = arith.cmpi ult, %kl, %nb : tensor<1x64xi64>
    %on = tileaa.broadcast %ki : tensor<1x64xi1> -> tensor<64x64xi1>
    %kb = tileaa.broadcast %kl : tensor<1x64xi64> -> tensor<64x64xi64>
    %e = arith.addi %rb, %kb : tensor<64x64xi64>
    %o = arith.muli %e, %bytes : tensor<64x64xi64>
    %at = arith.addi %base, %o : tensor<64x64xi64>
    %ta, %t0 = tileaa.load_ptr %at mask %on padding %none : tensor<64x64xbf16> after %t : tensor<64x64xi64>, tensor<64x64xi1> -> tensor<64x64xbf16>
    %ii = arith.index_cast %i : i32 to index
    %tb, %t1 = tileaa.load_view %vb[%ii, %iy] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %tb2, %t2 = tileaa.load_view %vb2[%ii, %iy] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s2 = tileaa.mma %ta, %tb2, %acc2 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %s, %s2 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %both = arith.mulf %sum#0, %sum#1 : tensor<64x64xf32>
  %u = tileaa.store_view %both, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Copies pad with zeros only, so threads load the second operand, and then all three.
// CHECK-LABEL: func.func @second_by_threads
// CHECK-NOT: tileas.agents
// CHECK: return
func.func @second_by_threads(%a: i64, %stride: i32, %rows: i64, %b: i64, %b2: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<2> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pb2 = tileaa.assume_div_by %b2, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vb2 = tileaa.make_view %pb2, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vr = tileaa.make_view %rows, shape[%d], strides[] : <[?], i32, strides = [1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy0 = arith.index_cast %y : i32 to index
  %c64i = arith.constant 64 : index
  %iy = arith.muli %iy0, %c64i : index
  %r, %t9 = tileaa.load_view %vr[%ix] after %t dims [0] padding zero : <[?], i32, strides = [1]> -> tensor<64xi32>
  %rr = tileaa.reshape %r : tensor<64xi32> -> tensor<64x1xi32>
  %rl = arith.extsi %rr : tensor<64x1xi32> to tensor<64x1xi64>
  %sl = arith.extsi %st : i32 to i64
  %sb = tileaa.broadcast %sl : i64 -> tensor<64x1xi64>
  %ro = arith.muli %rl, %sb : tensor<64x1xi64>
  %rb = tileaa.broadcast %ro : tensor<64x1xi64> -> tensor<64x64xi64>
  %base = tileaa.broadcast %pa : i64 -> tensor<64x64xi64>
  %lane = tileaa.iota : tensor<64xi32>
  %nl = arith.extsi %nn : i32 to i64
  %nb = tileaa.broadcast %nl : i64 -> tensor<1x64xi64>
  %sum:2 = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero, %acc2 = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %k = tileaa.broadcast %i : i32 -> tensor<64xi32>
    %kk = arith.addi %k, %lane : tensor<64xi32>
    %kr = tileaa.reshape %kk : tensor<64xi32> -> tensor<1x64xi32>
    %kl = arith.extsi %kr : tensor<1x64xi32> to tensor<1x64xi64>
    %ki = arith.cmpi ult, %kl, %nb : tensor<1x64xi64>
    %on = tileaa.broadcast %ki : tensor<1x64xi1> -> tensor<64x64xi1>
    %kb = tileaa.broadcast %kl : tensor<1x64xi64> -> tensor<64x64xi64>
    %e = arith.addi %rb, %kb : tensor<64x64xi64>
    %o = arith.muli %e, %bytes : tensor<64x64xi64>
    %at = arith.addi %base, %o : tensor<64x64xi64>
    %ta, %t0 = tileaa.load_ptr %at mask %on padding %none : tensor<64x64xbf16> after %t : tensor<64x64xi64>, tensor<64x64xi1> -> tensor<64x64xbf16>
    %ii = arith.index_cast %i : i32 to index
    %tb, %t1 = tileaa.load_view %vb[%ii, %iy] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %tb2, %t2 = tileaa.load_view %vb2[%ii, %iy] after %t dims [0, 1] padding nan : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s2 = tileaa.mma %ta, %tb2, %acc2 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %s, %s2 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %both = arith.mulf %sum#0, %sum#1 : tensor<64x64xf32>
  %u = tileaa.store_view %both, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
