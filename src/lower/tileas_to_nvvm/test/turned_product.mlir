// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tf32 with a row-major B: fragments come from the stage, and the whole warpgroup has them before it is released.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s

// CHECK-LABEL: .entry rows(
// CHECK-NOT: .local
// CHECK: ld.shared.b32
// CHECK: bar.sync %r{{[0-9]+}}, 128;
// CHECK: mbarrier.arrive
// CHECK-NOT: cvt.rn.tf32
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {{[{].*[}]}}, {{[{]%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+[}]}}, %rd{{[0-9]+}}
func.func @rows(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c128 : index
  %k = arith.muli %iy, %c128 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %la, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<128x32xf32>
    %lb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<32x128xf32>
    %ta = tileaa.convert %la : tensor<128x32xf32> as f32 to tensor<128x32xf32> as tf32
    %tb = tileaa.convert %lb : tensor<32x128xf32> as f32 to tensor<32x128xf32> as tf32
    %s = tileaa.mma %ta, %tb, %acc {format = tf32} : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
