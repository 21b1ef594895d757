// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-fold-shapes --verify-each | FileCheck %s

!v = !tileaa.view<[?, ?, ?], f32, strides = [?, ?, 1]>

// CHECK-LABEL: func.func @drops_and_permutes
func.func @drops_and_permutes(%view: !v, %i: index) attributes {tileaa.kernel} {
  // CHECK: load_view %{{.*}} dims [2, 1] : {{.*}} -> tensor<64x32xf32>
  %tile, %t0 = tileaa.load_view %view[%i, %i, %i] dims [0, 1, 2] : !v -> tensor<1x32x64xf32>
  %flat = tileaa.reshape %tile : tensor<1x32x64xf32> -> tensor<32x64xf32>
  %turned = tileaa.permute %flat by [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  // CHECK-NOT: tileaa.permute
  // CHECK-NOT: tileaa.reshape
  // CHECK: store_view %{{.*}} dims [2, 1] : tensor<64x32xf32>
  %twice = arith.addf %turned, %turned : tensor<64x32xf32>
  %back = tileaa.permute %twice by [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %full = tileaa.reshape %back : tensor<32x64xf32> -> tensor<1x32x64xf32>
  %t1 = tileaa.store_view %full, %view[%i, %i, %i] dims [0, 1, 2] : tensor<1x32x64xf32>, !v
  return
}

// A tile with two uses, and a reshape that moves elements, stay.
// CHECK-LABEL: func.func @leaves_alone
func.func @leaves_alone(%view: !v, %i: index) attributes {tileaa.kernel} {
  // CHECK: load_view %{{.*}} dims [0, 1, 2] : {{.*}} -> tensor<1x32x64xf32>
  %tile, %t0 = tileaa.load_view %view[%i, %i, %i] dims [0, 1, 2] : !v -> tensor<1x32x64xf32>
  // CHECK: tileaa.reshape
  %flat = tileaa.reshape %tile : tensor<1x32x64xf32> -> tensor<2x16x64xf32>
  %sum = arith.addf %tile, %tile : tensor<1x32x64xf32>
  %t1 = tileaa.store_view %sum, %view[%i, %i, %i] dims [0, 1, 2] : tensor<1x32x64xf32>, !v
  %t2 = tileaa.store_view %flat, %view[%i, %i, %i] dims [0, 1, 2] : tensor<2x16x64xf32>, !v
  return
}
