// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of elements of two bytes without alignment may shift: a thread then holds 8 beside each other.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas))' --verify-each | FileCheck %s

// CHECK-DAG: #[[WIDE:.*]] = #tileas.layout<"{register: (0,1) (0,2) (0,4), lane: (0,8)
// CHECK-DAG: #[[NARROW:.*]] = #tileas.layout<"{register: (0,128) (0,256) (0,512), lane: (0,1)

module {
  // The sum of a row, which is stored, is not a tile that is loaded.
  // CHECK-LABEL: func.func @sum
  // CHECK: tileaa.load_view {{.*}} -> tensor<1x1024xbf16, #[[WIDE]]>
  func.func @sum(%a: i64, %n: index, %b: i64, %i: index) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = tileaa.make_token
    %v = tileaa.make_view %a, shape[%n, %n], strides[%n] : <[?, ?], bf16, strides = [?, 1]>
    %w = tileaa.make_view %b, shape[%n], strides[] : <[?], f32, strides = [1]>
    %x, %t0 = tileaa.load_view %v[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<1x1024xbf16>
    %wide = arith.extf %x : tensor<1x1024xbf16> to tensor<1x1024xf32>
    %sum = tileaa.reduce %wide from %zero along 1 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tileaa.yield %s : f32
    } : (tensor<1x1024xf32>, f32) -> tensor<1xf32>
    %u = tileaa.store_view %sum, %w[%i] after %t dims [0] : tensor<1xf32>, <[?], f32, strides = [1]>
    return
  }

  // Each use of the maximum has its own copies, so that the first pass over a row does not have the layout of the second
  // one, which is stored.
  // CHECK-LABEL: func.func @two_passes
  // CHECK: tileaa.load_view {{.*}} -> tensor<1x1024xbf16, #[[WIDE]]>
  // CHECK: tileaa.load_view {{.*}} -> tensor<1x1024xbf16, #[[NARROW]]>
  func.func @two_passes(%a: i64, %n: index, %i: index) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %highest = arith.constant 0x7F80 : bf16
    %c1024 = arith.constant 1024 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %a, shape[%n, %n], strides[%n] : <[?, ?], bf16, strides = [?, 1]>
    %x, %t0 = tileaa.load_view %v[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<1x1024xbf16>
    %max = tileaa.reduce %x from %lowest along 1 {
    ^bb0(%l: bf16, %r: bf16):
      %m = arith.maximumf %l, %r : bf16
      tileaa.yield %m : bf16
    } : (tensor<1x1024xbf16>, bf16) -> tensor<1xbf16>
    %one = tileaa.reshape %max : tensor<1xbf16> -> tensor<1x1xbf16>
    %all = tileaa.broadcast %one : tensor<1x1xbf16> -> tensor<1x1024xbf16>
    %d = arith.subf %x, %all : tensor<1x1024xbf16>
    %least = tileaa.reduce %d from %highest along 1 {
    ^bb0(%l: bf16, %r: bf16):
      %m = arith.minimumf %l, %r : bf16
      tileaa.yield %m : bf16
    } : (tensor<1x1024xbf16>, bf16) -> tensor<1xbf16>
    %y, %t1 = tileaa.load_view %v[%i, %c1024] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<1x1024xbf16>
    %e = arith.subf %y, %all : tensor<1x1024xbf16>
    %u = tileaa.store_view %e, %v[%i, %c1024] after %t1 dims [0, 1] : tensor<1x1024xbf16>, <[?, ?], bf16, strides = [?, 1]>
    return
  }
}
