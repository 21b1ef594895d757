// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s

!halves = !tileaa.view<[?, ?], f16, strides = [?, 1]>
module {
  // A tile of 256x256 has 128 sums in each thread of 16 warps, which is as many registers as it has at all. Instructions
  // have half of the columns, and those of one half have ended before the other half begins.
  // CHECK-LABEL: .entry wide(
  // CHECK: .reqntid 640
  // CHECK-NOT: n256k16
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
  // CHECK: wgmma.wait_group
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
  // CHECK: wgmma.wait_group
  // CHECK-NOT: wgmma.mma_async
  func.func @wide(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<256x256xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !halves
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !halves
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !halves
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<256x256xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !halves -> tensor<256x64xf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : !halves -> tensor<64x256xf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>
      scf.yield %s : tensor<256x256xf32>
    }
    %h = arith.truncf %r : tensor<256x256xf32> to tensor<256x256xf16>
    %u = tileaa.store_view %h, %vc[%c0, %c0] after %t dims [0, 1] : tensor<256x256xf16>, !halves
    return
  }
}
