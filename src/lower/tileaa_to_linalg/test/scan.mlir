// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --verify-each | FileCheck %s

// The source is computed into memory; the scan writes a tile of its own.
// CHECK-LABEL: func.func @scan
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: %[[Y:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK: %[[R:.*]] = cpu.scan %[[X]] from %{{.*}} into %[[Y]] along 1 reverse {
// CHECK:   cpu.yield
// CHECK: return %[[R]]
func.func @scan(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tileaa.kernel} {
  %zero = arith.constant 0.0 : f32
  %square = arith.mulf %x, %x : tensor<8x16xf32>
  %0 = tileaa.scan %square from %zero along 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<8x16xf32>, f32) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
