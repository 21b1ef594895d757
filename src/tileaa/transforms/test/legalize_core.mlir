// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-legalize-core))' | FileCheck %s
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-legalize-core{native=tf32}))' | FileCheck %s --check-prefix=NATIVE

// Every number of eight bits is one of bf16.
// CHECK-LABEL: func @bytes
func.func @bytes(%a: tensor<8x4xi8>, %b: tensor<4x8xi8>, %c: tensor<8x8xf16>) -> tensor<8x8xf16> {
  // CHECK: %[[A:.*]] = tileaa.convert %arg0 : tensor<8x4xi8> as f8E5M2 to tensor<8x4xbf16> as bf16
  // CHECK: %[[B:.*]] = tileaa.convert %arg1 : tensor<4x8xi8> as f8E5M2 to tensor<4x8xbf16> as bf16
  // CHECK: tileaa.mma %[[A]], %[[B]], %arg2 : tensor<8x4xbf16>, tensor<4x8xbf16>, tensor<8x8xf16>
  %0 = tileaa.mma %a, %b, %c {format = f8E5M2} : tensor<8x4xi8>, tensor<4x8xi8>, tensor<8x8xf16>
  return %0 : tensor<8x8xf16>
}

// A target that multiplies the format gets it.
// CHECK-LABEL: func @tf32
// NATIVE-LABEL: func @tf32
func.func @tf32(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-COUNT-2: tileaa.convert %{{.*}} as tf32
  // NATIVE: tileaa.mma %arg0, %arg1, %arg2 {format = tf32}
  %0 = tileaa.mma %a, %b, %c {format = tf32} : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Two blocks of 16 along K become a batch of two products.
// CHECK-LABEL: func @scaled
func.func @scaled(%a: tensor<8x32xi8>, %b: tensor<32x4xi8>, %c: tensor<8x4xf32>, %sa: tensor<8x2xi8>, %sb: tensor<2x4xi8>) -> tensor<8x4xf32> {
  // CHECK: tileaa.permute %{{.*}} by [1, 0, 2] : tensor<8x2x16xi8> -> tensor<2x8x16xi8>
  // CHECK: %[[A:.*]] = tileaa.convert %{{.*}} : tensor<2x8x16xi8> as f4E2M1FN to tensor<2x8x16xbf16> as bf16
  // CHECK: %[[B:.*]] = tileaa.convert %{{.*}} : tensor<2x16x4xi8> as f4E2M1FN to tensor<2x16x4xbf16> as bf16
  // CHECK: %[[P:.*]] = tileaa.mma %[[A]], %[[B]], %{{.*}} : tensor<2x8x16xbf16>, tensor<2x16x4xbf16>, tensor<2x8x4xf32>
  // CHECK: %[[WIDE:.*]] = arith.extf %[[P]] : tensor<2x8x4xf32> to tensor<2x8x4xf64>
  // CHECK: tileaa.convert %{{.*}} : tensor<2x8xi8> as f8E8M0FNU to tensor<2x8xf64> as f64
  // CHECK: tileaa.convert %arg4 : tensor<2x4xi8> as f8E8M0FNU to tensor<2x4xf64> as f64
  // CHECK: arith.mulf %[[WIDE]]
  // CHECK: arith.mulf
  // CHECK: tileaa.reduce %{{.*}} along 0
  // CHECK: arith.truncf %{{.*}} : tensor<8x4xf64> to tensor<8x4xf32>
  %0 = tileaa.mma_scaled %a, %b, %c scaled by %sa, %sb as f4E2M1FN, f8E8M0FNU : tensor<8x32xi8>, tensor<32x4xi8>, tensor<8x4xf32>, tensor<8x2xi8>, tensor<2x4xi8>
  return %0 : tensor<8x4xf32>
}
