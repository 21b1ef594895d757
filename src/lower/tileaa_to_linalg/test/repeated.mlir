// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --verify-each | FileCheck %s

!row = !tileaa.view<[?, 64], f32, strides = [64, 1]>

// Three operations on a row are done once, before the loop over the eight rows that it is added to.
// CHECK-LABEL: func.func @dear
// CHECK: linalg.generic
// CHECK-COUNT-3: arith.mulf
// CHECK: %[[ONCE:.*]] = linalg.generic
// CHECK-NOT: arith.mulf
// CHECK: arith.addf
func.func @dear(%x: i64, %rows: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %view = tileaa.make_view %x, shape [%rows], strides [] : !row
  %line, %t0 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<1x64xf32>
  %tile, %t1 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<8x64xf32>
  %0 = arith.mulf %line, %line : tensor<1x64xf32>
  %1 = arith.mulf %0, %line : tensor<1x64xf32>
  %2 = arith.mulf %1, %line : tensor<1x64xf32>
  %all = tileaa.broadcast %2 : tensor<1x64xf32> -> tensor<8x64xf32>
  %sum = arith.addf %tile, %all : tensor<8x64xf32>
  %t2 = tileaa.store_view %sum, %view[%c0, %c0] dims [0, 1] : tensor<8x64xf32>, !row
  return
}

// Two of them, or three that only two rows need, are part of the loop.
// CHECK-LABEL: func.func @cheap
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @cheap(%x: i64, %rows: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %view = tileaa.make_view %x, shape [%rows], strides [] : !row
  %line, %t0 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<1x64xf32>
  %tile, %t1 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<8x64xf32>
  %0 = arith.mulf %line, %line : tensor<1x64xf32>
  %1 = arith.mulf %0, %line : tensor<1x64xf32>
  %all = tileaa.broadcast %1 : tensor<1x64xf32> -> tensor<8x64xf32>
  %sum = arith.addf %tile, %all : tensor<8x64xf32>
  %t2 = tileaa.store_view %sum, %view[%c0, %c0] dims [0, 1] : tensor<8x64xf32>, !row
  return
}

// CHECK-LABEL: func.func @two_rows
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @two_rows(%x: i64, %rows: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %view = tileaa.make_view %x, shape [%rows], strides [] : !row
  %line, %t0 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<1x64xf32>
  %tile, %t1 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<2x64xf32>
  %0 = arith.mulf %line, %line : tensor<1x64xf32>
  %1 = arith.mulf %0, %line : tensor<1x64xf32>
  %2 = arith.mulf %1, %line : tensor<1x64xf32>
  %all = tileaa.broadcast %2 : tensor<1x64xf32> -> tensor<2x64xf32>
  %sum = arith.addf %tile, %all : tensor<2x64xf32>
  %t2 = tileaa.store_view %sum, %view[%c0, %c0] dims [0, 1] : tensor<2x64xf32>, !row
  return
}

// Bits are dear to read: a mask of four operations that eight rows share is part of the loop.
// CHECK-LABEL: func.func @mask
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.cmpi
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @mask(%x: i64, %rows: index, %line: tensor<1x64xi32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %view = tileaa.make_view %x, shape [%rows], strides [] : !row
  %tile, %t1 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !row -> tensor<8x64xf32>
  %0 = arith.muli %line, %line : tensor<1x64xi32>
  %1 = arith.muli %0, %line : tensor<1x64xi32>
  %2 = arith.muli %1, %line : tensor<1x64xi32>
  %3 = arith.cmpi slt, %2, %line : tensor<1x64xi32>
  %mask = tileaa.broadcast %3 : tensor<1x64xi1> -> tensor<8x64xi1>
  %twice = arith.addf %tile, %tile : tensor<8x64xf32>
  %sum = arith.select %mask, %tile, %twice : tensor<8x64xi1>, tensor<8x64xf32>
  %t2 = tileaa.store_view %sum, %view[%c0, %c0] dims [0, 1] : tensor<8x64xf32>, !row
  return
}
