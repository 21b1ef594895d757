// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that the tensor memory accelerator does not take, at multiples of 8 bytes: the warpgroups of a Hopper multiply out
// of what threads copied. They say so to the hardware that reads it, and leave the product running.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s

// CHECK-NOT: .local
// CHECK-NOT: tensormap
// CHECK: cp.async.wait_group {{.*}}1;
// CHECK-NEXT: wgmma.wait_group.sync.aligned {{.*}}1;
// CHECK-NEXT: fence.proxy.async.shared::cta
// CHECK-NEXT: bar.sync
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK-NOT: wgmma.wait_group
// CHECK: cp.async.ca.shared.global
// CHECK: cp.async.commit_group
// CHECK: bra
// CHECK: wgmma.wait_group.sync.aligned 0
module {
  func.func @gemm(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %t = tileaa.make_token
    %pa = tileaa.assume_div_by %a, 8 : i64
    %pb = tileaa.assume_div_by %b, 8 : i64
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
    %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
    return
  }
}
