// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --tilewright-tileas=arch=sm_80 | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --tilewright-tileas=arch=sm_90 | FileCheck %s --check-prefix=HOPPER

// Gathered rows are prefetched as those of a view are: each thread for the addresses that it holds, sixteen
// bytes at a time. Addresses and masks of the iteration to come are computed again.
// CHECK-DAG: #[[FRAGMENT:.*]] = #tileas.layout<"{register: (0,1) (0,2) (0,4)
// CHECK-LABEL: func.func @gathered
// CHECK: %[[P:.*]] = tileas.create_pipeline of 0 : <4 x[<64x64xbf16, #{{.*}}>, <64x64xbf16, #{{.*}}>]>
// CHECK: tileas.async_load_ptr %{{.*}} mask %{{.*}} after %{{.*}} into %[[P]][%{{.*}}, 0] if %{{.*}} : tensor<64x64xi64, #[[FRAGMENT]]>, tensor<64x64xi1, #[[FRAGMENT]]>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[NOW:.*]] = %{{.*}}, %[[NEXT:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: tileas.async_load_ptr %{{.*}} mask %{{.*}} after %{{.*}} into %[[P]][%[[NEXT]], 0]
// CHECK-NOT: tileaa.load_ptr
// CHECK: %[[A:.*]] = tileas.stage %[[P]][%[[NOW]], 0]
// CHECK: tileas.mma <mma_sync m16n8k16> %[[A]]

// With wgmma a producer's threads gather them, for one block after another: they load the rows' numbers themselves.
// HOPPER-DAG: #[[COPIER:.*]] = #tileas.layout<"{register: (0,1) (0,2) (0,4) (16,0) (32,0), lane: (0,8)
// HOPPER-LABEL: func.func @gathered
// HOPPER-SAME: blocks_per_sm = 1
// HOPPER: %[[P:.*]] = tileas.create_pipeline of 1 : <8 x[<64x64xbf16, #{{.*}}>, <64x64xbf16, #{{.*}}>]>
// HOPPER: tileas.agents warps = [4, 4]
// HOPPER-NOT: tileaa.load
// HOPPER: tileas.consumer_wait %[[P]]
// HOPPER: %[[A:.*]] = tileas.consumer_read %[[P]][0]
// HOPPER: %[[B:.*]] = tileas.consumer_read %[[P]][1]
// HOPPER: tileas.mma <wgmma m64n64k16> %[[A]], %[[B]]
// HOPPER-NEXT: tileas.consumer_release %[[P]]
// HOPPER: }, {
// HOPPER: scf.for
// HOPPER: tileaa.load_view
// HOPPER: scf.for
// HOPPER: tileas.producer_acquire %[[P]]
// HOPPER-NEXT: tileas.async_load_ptr %{{.*}} mask %{{.*}} into %[[P]][0] : tensor<64x64xi64, #[[COPIER]]>
// HOPPER: tileas.tma_load %{{.*}} into %[[P]][1]
// HOPPER-NEXT: tileas.producer_commit %[[P]]
func.func @gathered(%a: i64, %stride: i32, %rows: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<2> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
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
  %sum = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %sum, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Elements that do not lie one after another stay as they are; the other operand is prefetched all the same, by a
// producer where there is one.
// CHECK-LABEL: func.func @apart
// CHECK: tileas.create_pipeline of 0 : <{{.*}} x[<64x64xbf16, #{{[^>]*}}>]>
// CHECK: scf.for
// CHECK: tileaa.load_ptr
// HOPPER-LABEL: func.func @apart
// HOPPER: tileas.create_pipeline of 1 : <8 x[<64x64xbf16, #{{[^>]*}}>]>
// HOPPER: tileaa.load_ptr
// HOPPER: }, {
// HOPPER-NOT: tileas.async_load_ptr
// HOPPER: tileas.tma_load
func.func @apart(%a: i64, %stride: i32, %rows: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<6> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
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
  %sum = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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
    // expected-remark@+1 {{is not prefetched: its elements are not known to be contiguous}}
    %ta, %t0 = tileaa.load_ptr %at mask %on padding %none : tensor<64x64xbf16> after %t : tensor<64x64xi64>, tensor<64x64xi1> -> tensor<64x64xbf16>
    %ii = arith.index_cast %i : i32 to index
    %tb, %t1 = tileaa.load_view %vb[%ii, %iy] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %sum, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Copies can only pad with zeros.
// CHECK-LABEL: func.func @padded
// CHECK: scf.for
// CHECK: tileaa.load_ptr
// HOPPER-LABEL: func.func @padded
// HOPPER-NOT: tileas.agents
// HOPPER: tileas.create_pipeline of 0
func.func @padded(%a: i64, %stride: i32, %rows: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<2> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
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
  %sum = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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
    %ones = arith.constant dense<1.0> : tensor<64x64xbf16>
    // expected-remark@+1 {{is not prefetched: copies pad with zeros only}}
    %ta, %t0 = tileaa.load_ptr %at mask %on padding %ones : tensor<64x64xbf16> after %t : tensor<64x64xi64>, tensor<64x64xi1> -> tensor<64x64xbf16>
    %ii = arith.index_cast %i : i32 to index
    %tb, %t1 = tileaa.load_view %vb[%ii, %iy] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %sum, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// What others may write meanwhile is read when it is wanted.
// CHECK-LABEL: func.func @ordered
// CHECK: scf.for
// CHECK: tileaa.load_ptr relaxed
// HOPPER-LABEL: func.func @ordered
// HOPPER: tileas.create_pipeline of 1 : <8 x[<64x64xbf16, #{{[^>]*}}>]>
// HOPPER: tileaa.load_ptr
// HOPPER: }, {
// HOPPER-NOT: tileas.async_load_ptr
// HOPPER: tileas.tma_load
func.func @ordered(%a: i64, %stride: i32, %rows: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<2> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
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
  %sum = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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
    // expected-remark@+1 {{is not prefetched: other kernels or tile blocks may write it while the loop runs}}
    %ta, %t0 = tileaa.load_ptr relaxed %at mask %on padding %none : tensor<64x64xbf16> after %t : tensor<64x64xi64>, tensor<64x64xi1> -> tensor<64x64xbf16>
    %ii = arith.index_cast %i : i32 to index
    %tb, %t1 = tileaa.load_view %vb[%ii, %iy] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %sum, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Which rows they are is what the kernel has written: a producer, which waits for nothing, would not see it.
// The threads that multiply copy both.
// CHECK-LABEL: func.func @written
// HOPPER-LABEL: func.func @written
// HOPPER-NOT: blocks_per_sm
// HOPPER-NOT: tileas.agents
// HOPPER: tileas.create_pipeline of 0
// HOPPER: tileas.async_load_ptr
func.func @written(%a: i64, %stride: i32, %rows: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xbf16>
  %bytes = arith.constant dense<2> : tensor<64x64xi64>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %st = tileaa.assume_div_by %stride, 8 : i32
  %d = arith.index_cast %nn : i32 to index
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vr = tileaa.make_view %rows, shape[%d], strides[] : <[?], i32, strides = [1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy0 = arith.index_cast %y : i32 to index
  %c64i = arith.constant 64 : index
  %iy = arith.muli %iy0, %c64i : index
  %numbers = arith.constant dense<1> : tensor<64xi32>
  %tw = tileaa.store_view %numbers, %vr[%ix] after %t dims [0] : tensor<64xi32>, <[?], i32, strides = [1]>
  %r, %t9 = tileaa.load_view %vr[%ix] after %tw dims [0] padding zero : <[?], i32, strides = [1]> -> tensor<64xi32>
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
  %sum = scf.for %i = %c0 to %nn step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %sum, %vc[%ix, %iy] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
