// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-slice-products{shared-bytes=65536},canonicalize,cse))' --verify-each | FileCheck %s

!halves = !tileaa.view<[?, ?], f16, strides = [?, 1]>
!batches = !tileaa.view<[?, ?, ?], f16, strides = [?, ?, 1]>
!floats = !tileaa.view<[?, ?], f32, strides = [?, 1]>

// Along K so much is multiplied at a time that two parts of the operands fit.
// CHECK-LABEL: func @whole(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[I:[a-z0-9]+]]: index
// CHECK-SAME: tileaa.slices = ["256x256xf16 by 256x32", "256x256xf16 by 32x256"]
func.func @whole(%a: !halves, %b: !halves, %c: !floats, %i: index) {
  // CHECK: %[[S:.*]] = scf.for %[[K:.*]] = %c0 to %c256 step %c32 iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<256x256xf32>)
  // CHECK: tileaa.load_view %[[A]][%{{.*}}, %[[K]]] {{.*}} -> tensor<256x32xf16>
  // CHECK: tileaa.load_view %[[B]][%[[K]], %{{.*}}] {{.*}} -> tensor<32x256xf16>
  // CHECK: tileaa.mma %{{.*}}, %{{.*}}, %[[ACC]]
  // CHECK: tileaa.store_view %[[S]], %[[C]]
  // CHECK: return
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %x, %t0 = tileaa.load_view %a[%i, %c0] dims [0, 1] : !halves -> tensor<256x256xf16>
  %y, %t1 = tileaa.load_view %b[%c0, %i] dims [0, 1] : !halves -> tensor<256x256xf16>
  %p = tileaa.mma %x, %y, %zero : tensor<256x256xf16>, tensor<256x256xf16>, tensor<256x256xf32>
  %u = tileaa.store_view %p, %c[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  return
}

// The parts of what was reshaped, turned and rounded are loaded where they were.
// CHECK-LABEL: func @turned(
// CHECK: scf.for %[[K:.*]] = %c0 to %c512 step %c64
// CHECK: tileaa.load_view %{{.*}}[%{{[a-z0-9]+}}, %[[K]], %{{[a-z0-9]+}}] {{.*}} -> tensor<1x64x128xf16>
// CHECK: tileaa.reshape %{{.*}} -> tensor<64x128xf16>
// CHECK: tileaa.permute %{{.*}} -> tensor<128x64xf16>
func.func @turned(%a: !batches, %b: !halves, %c: !floats, %i: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x, %t0 = tileaa.load_view %a[%i, %c0, %i] dims [0, 1, 2] : !batches -> tensor<1x512x128xf16>
  %r = tileaa.reshape %x : tensor<1x512x128xf16> -> tensor<512x128xf16>
  %l = tileaa.permute %r by [1, 0] : tensor<512x128xf16> -> tensor<128x512xf16>
  %y, %t1 = tileaa.load_view %b[%c0, %i] dims [0, 1] : !halves -> tensor<512x128xf16>
  %p = tileaa.mma %l, %y, %zero : tensor<128x512xf16>, tensor<512x128xf16>, tensor<128x128xf32>
  %u = tileaa.store_view %p, %c[%i, %i] dims [0, 1] : tensor<128x128xf32>, !floats
  return
}

// Something comes after the load: it stays where it is.
// CHECK-LABEL: func @before(
// CHECK-NOT: scf.for
// CHECK: return
func.func @before(%a: !halves, %b: !halves, %c: !floats, %i: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %x, %t0 = tileaa.load_view %a[%i, %c0] dims [0, 1] : !halves -> tensor<256x256xf16>
  %y, %t1 = tileaa.load_view %b[%c0, %i] dims [0, 1] : !halves -> tensor<256x256xf16>
  %p = tileaa.mma %x, %y, %zero : tensor<256x256xf16>, tensor<256x256xf16>, tensor<256x256xf32>
  %u = tileaa.store_view %p, %c[%i, %i] after %t0 dims [0, 1] : tensor<256x256xf32>, !floats
  return
}
