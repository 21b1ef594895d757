// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumers of a persistent kernel compute the place of their results before the product, divisions and all, and not
// in the branch of the warp that stores. That warp is not divided: a branch by its number, which is one for all its lanes.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s

// CHECK: shfl.sync.idx.b32 %[[WARP:r[0-9]+]], %{{.*}}, 0, 31, -1;
// CHECK: setmaxnreg.inc
// CHECK: setp.ne.b32 %[[OTHER:p[0-9]+]], %[[WARP]], 0;
// CHECK: div.u32
// CHECK: wgmma.mma_async
// CHECK-NOT: {{(div|rem)\.}}
// CHECK: fence.proxy.async.shared::cta;
// CHECK-NEXT: bar.sync
// CHECK-NEXT: @%[[OTHER]] bra
// CHECK-NOT: {{(div|rem)\.}}
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
module {
  func.func @gemm(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %x, %y, %z = tileaa.block_id
    %row = arith.divui %x, %n : i32
    %column = arith.remui %x, %n : i32
    %ix = arith.index_cast %row : i32 to index
    %iy = arith.index_cast %column : i32 to index
    %m = arith.muli %ix, %c128 : index
    %k = arith.muli %iy, %c128 : index
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<128x64xbf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %o = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xbf16>
    %u = tileaa.store_view %o, %vc[%m, %k] after %t dims [0, 1] : tensor<128x128xbf16>, <[?, ?], bf16, strides = [?, 1]>
    return
  }
}
