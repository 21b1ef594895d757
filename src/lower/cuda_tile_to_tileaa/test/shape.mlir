// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @constants(
entry @constants() {
  // CHECK: arith.constant 3 : i32
  %0 = constant <i32: 3> : tile<i32>
  // CHECK: arith.constant dense<1.500000e+00> : tensor<4xf32>
  %1 = constant <f32: 1.5> : tile<4xf32>
  // CHECK: arith.constant dense<[1, 2]> : tensor<2xi64>
  %2 = constant <i64: [1, 2]> : tile<2xi64>
  // CHECK: arith.constant dense<1.500000e+00> : tensor<2xf32>
  %3 = constant <tf32: 1.5> : tile<2xtf32>
  return
}

// CHECK-LABEL: func.func @shapes(
entry @shapes(%i: tile<i32>) {
  // CHECK: %[[X:.*]] = tileaa.iota : tensor<8xi32>
  %0 = iota : tile<8xi32>
  // CHECK: %[[M:.*]] = tileaa.reshape %[[X]] : tensor<8xi32> -> tensor<2x4xi32>
  %1 = reshape %0 : tile<8xi32> -> tile<2x4xi32>
  // CHECK: %[[T:.*]] = tileaa.permute %[[M]] by [1, 0]
  %2 = permute %1 [1, 0] : tile<2x4xi32> -> tile<4x2xi32>
  // CHECK: %[[C:.*]] = tileaa.cat %[[T]], %[[T]] along 0
  %3 = cat %2, %2 dim = 0 : tile<4x2xi32>, tile<4x2xi32> -> tile<8x2xi32>
  // Indices count parts: part i of 2 rows begins at row 2 * i. There are four: any other index gives the last.
  // CHECK: %[[AT:.*]] = arith.index_cast %arg0 : i32 to index
  // CHECK: %[[IN:.*]] = arith.minui %[[AT]], %c3
  // CHECK: %[[ROW:.*]] = arith.muli %[[IN]], %c2
  // CHECK: %[[PART:.*]] = tileaa.extract %[[C]][%[[ROW]], %{{.*}}] : tensor<8x2xi32> -> tensor<2x1xi32>
  %4 = extract %3[%i, %i] : tile<8x2xi32> -> tile<2x1xi32>
  // CHECK: tileaa.insert %[[PART]] into %[[C]][
  %5 = insert %4, %3[%i, %i] : tile<2x1xi32>, tile<8x2xi32>
  return
}

// CHECK-LABEL: func.func @bytes(
entry @bytes() {
  %0 = iota : tile<8xi16>
  // CHECK: %[[SHIFTED:.*]] = arith.shrui %{{.*}}, %{{.*}} : tensor<8x2xi16>
  // CHECK: %[[PARTS:.*]] = arith.andi %[[SHIFTED]], %{{.*}} : tensor<8x2xi16>
  // CHECK: %[[ROW:.*]] = tileaa.reshape %[[PARTS]] : tensor<8x2xi16> -> tensor<16xi16>
  // CHECK: %[[BYTES:.*]] = arith.trunci %[[ROW]] : tensor<16xi16> to tensor<16xi8>
  %1 = pack %0 : tile<8xi16> -> tile<16xi8>
  // CHECK: %[[WORDS:.*]] = arith.extui %[[BYTES]] : tensor<16xi8> to tensor<16xi32>
  // CHECK: tileaa.reshape %[[WORDS]] : tensor<16xi32> -> tensor<4x4xi32>
  // CHECK: arith.shli %{{.*}}, %{{.*}} : tensor<4x4xi32>
  // CHECK: tileaa.reduce
  // CHECK: arith.bitcast %{{.*}} : tensor<4xi32> to tensor<4xf32>
  %2 = unpack %1 : tile<16xi8> -> tile<4xf32>
  // Two elements of four bits from each byte, each in a byte of its own.
  // CHECK: arith.shrui %{{.*}}, %{{.*}} : tensor<16x2xi8>
  // CHECK: %[[HALVES:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<16x2xi8>
  // CHECK: tileaa.reshape %[[HALVES]] : tensor<16x2xi8> -> tensor<32xi8>
  %3 = unpack %1 : tile<16xi8> -> tile<32xf4E2M1FN>
  // CHECK: arith.shli %{{.*}}, %{{.*}} : tensor<16x2xi8>
  // CHECK: tileaa.reduce
  %4 = pack %3 : tile<32xf4E2M1FN> -> tile<16xi8>
  return
}

// What is not negative is known of parameters.
// CHECK-LABEL: func.func @facts(
// CHECK-SAME: tileaa.non_negative = array<i64: 1>
entry @facts(%p: tile<ptr<f32>>, %n: tile<i32>) {
  // CHECK: tileaa.assume_div_by %arg0, 16 : i64
  %0 = assume div_by<16>, %p : tile<ptr<f32>>
  // CHECK-NEXT: return
  %1 = assume bounded<0, ?>, %n : tile<i32>
  return
}
}
