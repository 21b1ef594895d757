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

// A mask of an access is tested for whole vectors where it is computed: one of four operations that eight rows share is part of the loop.
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

// The mask of a row's columns is computed for each row, though it stands before the loop over them.
// CHECK-LABEL: func.func @hoisted_mask
// CHECK-NOT: linalg.generic
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK:   arith.cmpi slt
// CHECK:   arith.select
func.func @hoisted_mask(%x: i64, %rows: index, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = tileaa.make_view %x, shape [%rows], strides [] : !row
  %columns = tileaa.iota : tensor<64xi32>
  %end = tileaa.broadcast %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<64xi32>
  scf.for %i = %c0 to %rows step %c1 {
    %tile, %t1 = tileaa.load_view %view[%i, %c0] dims [1] : !row -> tensor<64xf32>
    %twice = arith.addf %tile, %tile : tensor<64xf32>
    %sum = arith.select %mask, %tile, %twice : tensor<64xi1>, tensor<64xf32>
    %t2 = tileaa.store_view %sum, %view[%i, %c0] dims [1] : tensor<64xf32>, !row
  }
  return
}

// A dear one is stored, and so is what was loaded.
// CHECK-LABEL: func.func @hoisted_row
// CHECK-COUNT-2: linalg.generic
// CHECK: scf.for
// CHECK: linalg.generic
func.func @hoisted_row(%x: i64, %rows: index, %n: i32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = tileaa.make_view %x, shape [%rows], strides [] : !row
  %columns = tileaa.iota : tensor<64xi32>
  %cut = tileaa.broadcast %n : i32 -> tensor<64xi32>
  %place = arith.remsi %columns, %cut : tensor<64xi32>
  %scale = arith.sitofp %place : tensor<64xi32> to tensor<64xf32>
  %row, %t0 = tileaa.load_view %view[%c0, %c0] dims [1] : !row -> tensor<64xf32>
  %negative = arith.negf %row : tensor<64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %tile, %t1 = tileaa.load_view %view[%i, %c0] dims [1] : !row -> tensor<64xf32>
    %scaled = arith.mulf %tile, %scale : tensor<64xf32>
    %sum = arith.addf %scaled, %negative : tensor<64xf32>
    %t2 = tileaa.store_view %sum, %view[%i, %c0] dims [1] : tensor<64xf32>, !row
  }
  return
}
