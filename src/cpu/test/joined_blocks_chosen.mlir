// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many neighbouring blocks share a body.
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v4 --verify-each | FileCheck %s

// A row that does not fill a step of a loop.
// CHECK-LABEL: func.func @short(
// CHECK-SAME: joined_blocks = 16,
func.func @short(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !tileaa.view<[?, ?], f32, strides = [?, 1]> -> tensor<1x16xf32>
  %t1 = tileaa.store_view %tile, %vy[%row, %c0] dims [0, 1] : tensor<1x16xf32>, !tileaa.view<[?, ?], f32, strides = [?, 1]>
  return
}

// A longer one fills it, and needs no other.
// CHECK-LABEL: func.func @long(
// CHECK-SAME: joined_blocks = 1,
func.func @long(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !tileaa.view<[?, ?], f32, strides = [?, 1]> -> tensor<1x128xf32>
  %t1 = tileaa.store_view %tile, %vy[%row, %c0] dims [0, 1] : tensor<1x128xf32>, !tileaa.view<[?, ?], f32, strides = [?, 1]>
  return
}

// The processor goes ahead to the next block while one sum is formed,
// CHECK-LABEL: func.func @one_reduction(
// CHECK-SAME: joined_blocks = 1,
func.func @one_reduction(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !tileaa.view<[?, ?], f32, strides = [?, 1]> -> tensor<1x128xf32>
  %sum0 = tileaa.reduce %tile from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x128xf32>, f32) -> tensor<1xf32>
  %column0 = tileaa.reshape %sum0 : tensor<1xf32> -> tensor<1x1xf32>
  %all0 = tileaa.broadcast %column0 : tensor<1x1xf32> -> tensor<1x128xf32>
  %part0 = arith.divf %tile, %all0 : tensor<1x128xf32>
  %t1 = tileaa.store_view %part0, %vy[%row, %c0] dims [0, 1] : tensor<1x128xf32>, !tileaa.view<[?, ?], f32, strides = [?, 1]>
  return
}

// but not while two are,
// CHECK-LABEL: func.func @two_reductions(
// CHECK-SAME: joined_blocks = 8,
func.func @two_reductions(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !tileaa.view<[?, ?], f32, strides = [?, 1]> -> tensor<1x128xf32>
  %sum0 = tileaa.reduce %tile from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x128xf32>, f32) -> tensor<1xf32>
  %column0 = tileaa.reshape %sum0 : tensor<1xf32> -> tensor<1x1xf32>
  %all0 = tileaa.broadcast %column0 : tensor<1x1xf32> -> tensor<1x128xf32>
  %part0 = arith.divf %tile, %all0 : tensor<1x128xf32>
  %sum1 = tileaa.reduce %part0 from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x128xf32>, f32) -> tensor<1xf32>
  %column1 = tileaa.reshape %sum1 : tensor<1xf32> -> tensor<1x1xf32>
  %all1 = tileaa.broadcast %column1 : tensor<1x1xf32> -> tensor<1x128xf32>
  %part1 = arith.divf %part0, %all1 : tensor<1x128xf32>
  %t1 = tileaa.store_view %part1, %vy[%row, %c0] dims [0, 1] : tensor<1x128xf32>, !tileaa.view<[?, ?], f32, strides = [?, 1]>
  return
}

// or past the conversions of narrow elements.
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: joined_blocks = 16,
func.func @narrow(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], bf16, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], bf16, strides = [?, 1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !tileaa.view<[?, ?], bf16, strides = [?, 1]> -> tensor<1x128xbf16>
  %wide = arith.extf %tile : tensor<1x128xbf16> to tensor<1x128xf32>
  %sum0 = tileaa.reduce %wide from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x128xf32>, f32) -> tensor<1xf32>
  %column0 = tileaa.reshape %sum0 : tensor<1xf32> -> tensor<1x1xf32>
  %all0 = tileaa.broadcast %column0 : tensor<1x1xf32> -> tensor<1x128xf32>
  %part0 = arith.divf %wide, %all0 : tensor<1x128xf32>
  %result = arith.truncf %part0 : tensor<1x128xf32> to tensor<1x128xbf16>
  %t1 = tileaa.store_view %result, %vy[%row, %c0] dims [0, 1] : tensor<1x128xbf16>, !tileaa.view<[?, ?], bf16, strides = [?, 1]>
  return
}

// The tiles of 8 blocks would not stay in the first cache.
// CHECK-LABEL: func.func @large(
// CHECK-SAME: joined_blocks = 1,
func.func @large(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], bf16, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], bf16, strides = [?, 1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !tileaa.view<[?, ?], bf16, strides = [?, 1]> -> tensor<1x2048xbf16>
  %wide = arith.extf %tile : tensor<1x2048xbf16> to tensor<1x2048xf32>
  %sum0 = tileaa.reduce %wide from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x2048xf32>, f32) -> tensor<1xf32>
  %column0 = tileaa.reshape %sum0 : tensor<1xf32> -> tensor<1x1xf32>
  %all0 = tileaa.broadcast %column0 : tensor<1x1xf32> -> tensor<1x2048xf32>
  %part0 = arith.divf %wide, %all0 : tensor<1x2048xf32>
  %result = arith.truncf %part0 : tensor<1x2048xf32> to tensor<1x2048xbf16>
  %t1 = tileaa.store_view %result, %vy[%row, %c0] dims [0, 1] : tensor<1x2048xbf16>, !tileaa.view<[?, ?], bf16, strides = [?, 1]>
  return
}
