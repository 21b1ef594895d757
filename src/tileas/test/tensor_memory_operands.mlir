// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in tensor memory read both operands from shared memory. 512x256 of f16 take 256 KB, more than a block has:
// threads keep them in registers, where they can be split. Half as deep they fit.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_100},func.func(tileas-plan-cta,tileaa-to-tileas))' --verify-each | FileCheck %s

// CHECK-LABEL: @deep
// CHECK: tileas.mma <mma_sync m16n8k16>
// CHECK-LABEL: @shallow
// CHECK: tileas.mma <tcgen05 m128n16k16>
module {
  func.func @deep(%a: i64, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<512x16xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %a, shape[], strides[] : <[512, 256], f16, strides = [256, 1]>
    %vb = tileaa.make_view %b, shape[], strides[] : <[256, 16], f16, strides = [16, 1]>
    %vc = tileaa.make_view %c, shape[], strides[] : <[512, 16], f32, strides = [16, 1]>
    %ta, %t1 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : <[512, 256], f16, strides = [256, 1]> -> tensor<512x256xf16>
    %tb, %t2 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : <[256, 16], f16, strides = [16, 1]> -> tensor<256x16xf16>
    %d = tileaa.mma %ta, %tb, %zero : tensor<512x256xf16>, tensor<256x16xf16>, tensor<512x16xf32>
    %s = tileaa.store_view %d, %vc[%c0, %c0] after %t dims [0, 1] : tensor<512x16xf32>, <[512, 16], f32, strides = [16, 1]>
    return
  }
  func.func @shallow(%a: i64, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<512x16xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %a, shape[], strides[] : <[512, 128], f16, strides = [128, 1]>
    %vb = tileaa.make_view %b, shape[], strides[] : <[128, 16], f16, strides = [16, 1]>
    %vc = tileaa.make_view %c, shape[], strides[] : <[512, 16], f32, strides = [16, 1]>
    %ta, %t1 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : <[512, 128], f16, strides = [128, 1]> -> tensor<512x128xf16>
    %tb, %t2 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : <[128, 16], f16, strides = [16, 1]> -> tensor<128x16xf16>
    %d = tileaa.mma %ta, %tb, %zero : tensor<512x128xf16>, tensor<128x16xf16>, tensor<512x16xf32>
    %s = tileaa.store_view %d, %vc[%c0, %c0] after %t dims [0, 1] : tensor<512x16xf32>, <[512, 16], f32, strides = [16, 1]>
    return
  }
}
