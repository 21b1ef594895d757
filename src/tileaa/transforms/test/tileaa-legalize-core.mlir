// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-legalize-core))' | FileCheck %s
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-legalize-core{native=tf32 native-scaled=f8E4M3FN:f8E8M0FNU:32,f4E2M1FN:f8E4M3FN:16}))' | FileCheck %s --check-prefix=NATIVE

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

// What a target scales itself stays: these formats and blocks, and 32 bytes of K.
// NATIVE-LABEL: func @scaled_by_target
// NATIVE: tileaa.mma_scaled %arg0
// NATIVE: tileaa.mma_scaled %arg5
// NATIVE-NOT: tileaa.mma_scaled
func.func @scaled_by_target(%a: tensor<8x32xi8>, %b: tensor<32x4xi8>, %c: tensor<8x4xf32>, %sa: tensor<8x1xi8>, %sb: tensor<1x4xi8>,
                            %d: tensor<8x64xi8>, %e: tensor<64x4xi8>, %sd: tensor<8x4xi8>, %se: tensor<4x4xi8>,
                            %sf: tensor<8x2xi8>, %sg: tensor<2x4xi8>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = tileaa.mma_scaled %a, %b, %c scaled by %sa, %sb as f8E4M3FN, f8E8M0FNU : tensor<8x32xi8>, tensor<32x4xi8>, tensor<8x4xf32>, tensor<8x1xi8>, tensor<1x4xi8>
  %1 = tileaa.mma_scaled %d, %e, %c scaled by %sd, %se as f4E2M1FN, f8E4M3FN : tensor<8x64xi8>, tensor<64x4xi8>, tensor<8x4xf32>, tensor<8x4xi8>, tensor<4x4xi8>
  %2 = tileaa.mma_scaled %a, %b, %c scaled by %sf, %sg as f4E2M1FN, f8E4M3FN : tensor<8x32xi8>, tensor<32x4xi8>, tensor<8x4xf32>, tensor<8x2xi8>, tensor<2x4xi8>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
