// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows gathered for a product are copied by their addresses, sixteen bytes at a time, and where the mask is false not read.
// RUN: tilewright compile %s --target=nvidia:sm_80 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=HOPPER
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=HOPPER

// CHECK-LABEL: .entry gathered
// CHECK-NOT: .local
// CHECK-NOT: ld.global.b16
// CHECK: @%p{{[0-9]+}} cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group
// CHECK-NOT: ld.global.b16

// Where a producer gathers, its 128 threads arrive at a stage when their copies have come, and one for the box that the
// hardware brings, of 8 KB. Products read past the caches what threads have copied.
// HOPPER-LABEL: .entry gathered
// HOPPER-NOT: .local
// HOPPER: mov.b32 [[ALL:%r[0-9]+]], 129;
// HOPPER-NEXT: mbarrier.init.shared.b64 {{.*}}, [[ALL]];
// HOPPER-NOT: cp.async.commit_group
// HOPPER-DAG: cp.async.mbarrier.arrive.noinc.shared.b64
// HOPPER-DAG: mov.b32 [[BOX:%r[0-9]+]], 8192;
// HOPPER-DAG: mbarrier.arrive.expect_tx.shared.b64 {{.*}}, [[BOX]];
// HOPPER-DAG: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// A coordinate has 32 bits: a larger offset stays outside.
// HOPPER-DAG: min.s64 {{.*}}, 2147418112;
// HOPPER-DAG: cp.async.bulk.tensor.2d.shared::cluster.global
// HOPPER: mbarrier.try_wait.parity
// HOPPER: fence.proxy.async.shared::cta
// HOPPER: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
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
