// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --tileas-order-blocks --verify-each | FileCheck %s

// Columns of a row follow each other along y: y counts first.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tile_order = 1
// CHECK: %[[X:.*]], %[[Y:.*]], %[[Z:.*]] = tileaa.block_id
// CHECK: %[[GX:.*]], %[[GY:.*]], %{{.*}} = tileaa.num_blocks
// CHECK: %[[BEFORE:.*]] = arith.muli %[[Y]], %[[GX]] : i32
// CHECK: %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[X]] : i32
// CHECK: %{{.*}}, %[[HIGH:.*]] = arith.mului_extended %[[GX]], %[[GY]] : i32
// CHECK: %[[ROW:.*]] = arith.divui %[[NUMBER]], %[[GY]] : i32
// CHECK: %[[PAST:.*]] = arith.muli %[[ROW]], %[[GY]] : i32
// CHECK: %[[COLUMN:.*]] = arith.subi %[[NUMBER]], %[[PAST]] : i32
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[HIGH]], %{{.*}} : i32
// CHECK: arith.select %[[FITS]], %[[ROW]], %[[X]] : i32
// CHECK: arith.select %[[FITS]], %[[COLUMN]], %[[Y]] : i32
func.func @rows(%p: i64, %m: index, %n: index, %s: index) attributes {tileaa.kernel, tileas.plan = []} {
  %c1024 = arith.constant 1024 : index
  %t = tileaa.make_token
  %v = tileaa.make_view %p, shape[%m, %n], strides[%s] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %i = arith.index_cast %x : i32 to index
  %j = arith.index_cast %y : i32 to index
  %at = arith.muli %j, %c1024 : index
  %tile, %t1 = tileaa.load_view %v[%i, %at] after %t dims [0, 1] : <[?, ?], f32, strides = [?, 1]> -> tensor<1x1024xf32>
  %t2 = tileaa.store_view %tile, %v[%i, %at] after %t1 dims [0, 1] : tensor<1x1024xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// The same by addresses.
// CHECK-LABEL: func.func @addresses
// CHECK-SAME: tile_order = 1
// CHECK: arith.divui
func.func @addresses(%p: i64, %s: i32) attributes {tileaa.kernel, tileas.plan = []} {
  %c64 = arith.constant 64 : i32
  %four = arith.constant dense<4> : tensor<64xi64>
  %x, %y, %z = tileaa.block_id
  %row = arith.muli %x, %s : i32
  %first = arith.muli %y, %c64 : i32
  %start = arith.addi %row, %first : i32
  %iota = tileaa.iota : tensor<64xi32>
  %all = tileaa.broadcast %start : i32 -> tensor<64xi32>
  %index = arith.addi %all, %iota : tensor<64xi32>
  %wide = arith.extsi %index : tensor<64xi32> to tensor<64xi64>
  %bytes = arith.muli %wide, %four : tensor<64xi64>
  %base = tileaa.broadcast %p : i64 -> tensor<64xi64>
  %address = arith.addi %base, %bytes : tensor<64xi64>
  %tile, %t = tileaa.load_ptr %address : tensor<64xi64>, -> tensor<64xf32>
  %t1 = tileaa.store_ptr %address, %tile after %t : tensor<64xi64>, tensor<64xf32>,
  return
}

// -----

// Blocks along x are adjacent already, and a transposition has as much of both.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: arith.divui
func.func @columns(%p: i64, %m: index, %n: index, %s: index) attributes {tileaa.kernel, tileas.plan = []} {
  %c1024 = arith.constant 1024 : index
  %t = tileaa.make_token
  %v = tileaa.make_view %p, shape[%m, %n], strides[%s] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %i = arith.index_cast %y : i32 to index
  %j = arith.index_cast %x : i32 to index
  %at = arith.muli %j, %c1024 : index
  %tile, %t1 = tileaa.load_view %v[%i, %at] after %t dims [0, 1] : <[?, ?], f32, strides = [?, 1]> -> tensor<1x1024xf32>
  %t2 = tileaa.store_view %tile, %v[%i, %at] after %t1 dims [0, 1] : tensor<1x1024xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
// CHECK-LABEL: func.func @transposition
// CHECK-NOT: arith.divui
func.func @transposition(%p: i64, %q: i64, %m: index, %n: index, %s: index) attributes {tileaa.kernel, tileas.plan = []} {
  %c32 = arith.constant 32 : index
  %t = tileaa.make_token
  %v = tileaa.make_view %p, shape[%m, %n], strides[%s] : <[?, ?], f32, strides = [?, 1]>
  %w = tileaa.make_view %q, shape[%n, %m], strides[%s] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %i = arith.index_cast %x : i32 to index
  %j = arith.index_cast %y : i32 to index
  %a = arith.muli %i, %c32 : index
  %b = arith.muli %j, %c32 : index
  %tile, %t1 = tileaa.load_view %v[%a, %b] after %t dims [0, 1] : <[?, ?], f32, strides = [?, 1]> -> tensor<32x32xf32>
  %t2 = tileaa.store_view %tile, %w[%b, %a] after %t1 dims [1, 0] : tensor<32x32xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Blocks that know of each other keep the order of the hardware.
// CHECK-LABEL: func.func @waits
// CHECK-NOT: arith.divui
func.func @waits(%p: i64, %m: index, %n: index, %s: index) attributes {tileaa.kernel, tileas.plan = []} {
  %c1024 = arith.constant 1024 : index
  %t = tileaa.make_token
  %v = tileaa.make_view %p, shape[%m, %n], strides[%s] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %flag, %t0 = tileaa.load_ptr acquire %p after %t : i64, -> i32
  %i = arith.index_cast %x : i32 to index
  %j = arith.index_cast %y : i32 to index
  %at = arith.muli %j, %c1024 : index
  %tile, %t1 = tileaa.load_view %v[%i, %at] after %t0 dims [0, 1] : <[?, ?], f32, strides = [?, 1]> -> tensor<1x1024xf32>
  %t2 = tileaa.store_view %tile, %v[%i, %at] after %t1 dims [0, 1] : tensor<1x1024xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
