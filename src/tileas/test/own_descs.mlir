// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One product, without a loop: a launcher describes the arrays, but a kernel that would have to do it itself leaves that.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas,tileas-store-by-tma,tileas-materialize-async))' --verify-each | FileCheck %s --check-prefix=LAUNCHER
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tilewright-tileas{arch=sm_90 portable=true})' --verify-each | FileCheck %s --check-prefix=OWN

// LAUNCHER: tileas.make_tiled_tma_desc
// LAUNCHER: tileas.agents
// OWN-NOT: tma_desc
// OWN: tileaa.load_view
// OWN: tileas.mma <wgmma
// OWN: tileaa.store_view
func.func @once(%a: i64, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %va = tileaa.make_view %pa, shape[], strides[] : <[64, 64], bf16, strides = [64, 1]>
  %vb = tileaa.make_view %pb, shape[], strides[] : <[64, 128], bf16, strides = [128, 1]>
  %vc = tileaa.make_view %pc, shape[], strides[] : <[64, 128], bf16, strides = [128, 1]>
  %ta, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : <[64, 64], bf16, strides = [64, 1]> -> tensor<64x64xbf16>
  %tb, %t1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : <[64, 128], bf16, strides = [128, 1]> -> tensor<64x128xbf16>
  %s = tileaa.mma %ta, %tb, %zero : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
  %h = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xbf16>
  %u = tileaa.store_view %h, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x128xbf16>, <[64, 128], bf16, strides = [128, 1]>
  return
}
