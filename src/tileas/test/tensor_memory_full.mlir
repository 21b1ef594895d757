// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory has 512 columns of 128 rows: sums of 128x256 take half of them, so the third product of a kernel keeps
// its sums in registers.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_100},func.func(tileas-plan-cta,tileaa-to-tileas))' --verify-each | FileCheck %s

// CHECK-COUNT-2: tileas.mma <tcgen05 m128n256k16>
// CHECK-NOT: tcgen05
// CHECK: tileas.mma <mma_sync m16n8k16>
// CHECK-NOT: tcgen05
module {
  func.func @three(%a: i64, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %t = tileaa.make_token
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %va = tileaa.make_view %pa, shape[], strides[] : <[384, 1024], f16, strides = [1024, 1]>
    %vb = tileaa.make_view %pb, shape[], strides[] : <[1024, 256], f16, strides = [256, 1]>
    %vc = tileaa.make_view %c, shape[], strides[] : <[384, 256], f32, strides = [256, 1]>
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %r:3 = scf.for %i = %c0 to %c1024 step %c64 iter_args(%x = %zero, %y = %zero, %z = %zero)
        -> (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) {
      %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] : <[1024, 256], f16, strides = [256, 1]> -> tensor<64x256xf16>
      %ta, %t2 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] : <[384, 1024], f16, strides = [1024, 1]> -> tensor<128x64xf16>
      %td, %t3 = tileaa.load_view %va[%c128, %i] after %t dims [0, 1] : <[384, 1024], f16, strides = [1024, 1]> -> tensor<128x64xf16>
      %te, %t4 = tileaa.load_view %va[%c256, %i] after %t dims [0, 1] : <[384, 1024], f16, strides = [1024, 1]> -> tensor<128x64xf16>
      %u = tileaa.mma %ta, %tb, %x : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
      %v = tileaa.mma %td, %tb, %y : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
      %w = tileaa.mma %te, %tb, %z : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
      scf.yield %u, %v, %w : tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>
    }
    %s0 = tileaa.store_view %r#0, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x256xf32>, <[384, 256], f32, strides = [256, 1]>
    %s1 = tileaa.store_view %r#1, %vc[%c128, %c0] after %t dims [0, 1] : tensor<128x256xf32>, <[384, 256], f32, strides = [256, 1]>
    %s2 = tileaa.store_view %r#2, %vc[%c256, %c0] after %t dims [0, 1] : tensor<128x256xf32>, <[384, 256], f32, strides = [256, 1]>
    return
  }
}
