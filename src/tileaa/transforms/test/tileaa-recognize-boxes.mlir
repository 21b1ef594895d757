// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --tileaa-recognize-boxes --cse --canonicalize --verify-each | FileCheck %s

// A row of a matrix: its number is a dimension of the view, with the stride that the addresses have it by.
// CHECK-LABEL: func.func @row
// CHECK-SAME: (%[[X:.*]]: i64, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32, %[[STRIDE:.*]]: i32
// CHECK: %[[ROW:.*]], %{{.*}}, %{{.*}} = tileaa.block_id
// CHECK: %[[AT:.*]] = arith.index_cast %[[ROW]] : i32 to index
// CHECK: %[[VIEW:.*]] = tileaa.make_view %[[X]], shape[%{{.*}}, %{{.*}}], strides[%{{.*}}] : <[?, ?], f32, strides = [?, 1]>
// CHECK: tileaa.load_view %[[VIEW]][%[[AT]], %c0] dims [1] padding {{ *}}neg_inf {{.*}}inbounds = array<i1: false, false>
// CHECK-NOT: tileaa.load_ptr
// CHECK: return
func.func @row(%x: i64, %rows: i32, %columns: i32, %stride: i32) -> tensor<64xf32> attributes {tileaa.kernel, tileaa.non_negative = array<i64: 1, 2, 3>} {
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32>
  %four = arith.constant dense<4> : tensor<64xi64>
  %row, %y, %z = tileaa.block_id
  %i = tileaa.iota : tensor<64xi32>
  %column = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %r = arith.extsi %row : i32 to i64
  %m = arith.extsi %rows : i32 to i64
  %n = arith.extsi %columns : i32 to i64
  %s = arith.extsi %stride : i32 to i64
  %begin = arith.muli %r, %s : i64
  %all = tileaa.broadcast %n : i64 -> tensor<64xi64>
  %in_row = arith.cmpi ult, %column, %all : tensor<64xi64>
  %is_row = arith.cmpi ult, %r, %m : i64
  %is_row_all = tileaa.broadcast %is_row : i1 -> tensor<64xi1>
  %mask = arith.andi %is_row_all, %in_row : tensor<64xi1>
  %begins = tileaa.broadcast %begin : i64 -> tensor<64xi64>
  %offset = arith.addi %begins, %column : tensor<64xi64>
  %bytes = arith.muli %offset, %four : tensor<64xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<64xi64>
  %address = arith.addi %base, %bytes : tensor<64xi64>
  %tile, %t = tileaa.load_ptr %address mask %mask padding %lowest : tensor<64xf32> : tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
  return %tile : tensor<64xf32>
}

// -----

// Two bounds of one index: the tile ends at the lesser end. The array begins where the index is zero.
// CHECK-LABEL: func.func @two_bounds
// CHECK-SAME: (%[[X:.*]]: i64, %[[N:.*]]: i32, %[[TILE:.*]]: tensor<64xf32>
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c80
// CHECK: %[[EXTENT:.*]] = arith.index_cast %[[END]]
// CHECK: %[[VIEW:.*]] = tileaa.make_view %[[X]], shape[%[[EXTENT]]]
// CHECK: tileaa.store_view %[[TILE]], %[[VIEW]][%c32] dims [0]
func.func @two_bounds(%x: i64, %n: i32, %tile: tensor<64xf32>) attributes {tileaa.kernel, tileaa.non_negative = array<i64: 1>} {
  %four = arith.constant dense<4> : tensor<64xi64>
  %half = arith.constant dense<32> : tensor<64xi64>
  %most = arith.constant dense<48> : tensor<64xi64>
  %i = tileaa.iota : tensor<64xi64>
  %at = arith.addi %i, %half : tensor<64xi64>
  %extent = arith.extsi %n : i32 to i64
  %all = tileaa.broadcast %extent : i64 -> tensor<64xi64>
  %inside = arith.cmpi ult, %at, %all : tensor<64xi64>
  %few = arith.cmpi slt, %i, %most : tensor<64xi64>
  %mask = arith.andi %inside, %few : tensor<64xi1>
  %bytes = arith.muli %at, %four : tensor<64xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<64xi64>
  %address = arith.addi %base, %bytes : tensor<64xi64>
  %t = tileaa.store_ptr %address, %tile mask %mask : tensor<64xi64>, tensor<64xf32>, tensor<64xi1>
  return
}

// -----

// A negative end of an unsigned comparison is beyond every index.
// CHECK-LABEL: func.func @unsigned_end
// CHECK: %[[LARGE:.*]] = arith.cmpi slt, %[[END:.*]], %c0
// CHECK: arith.select %[[LARGE]], %c4611686018427387904{{.*}}, %[[END]]
// CHECK: tileaa.load_view
func.func @unsigned_end(%x: i64, %n: i32) -> tensor<64xf32> attributes {tileaa.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %four = arith.constant dense<4> : tensor<64xi64>
  %i = tileaa.iota : tensor<64xi64>
  %extent = arith.extsi %n : i32 to i64
  %all = tileaa.broadcast %extent : i64 -> tensor<64xi64>
  %mask = arith.cmpi ult, %i, %all : tensor<64xi64>
  %bytes = arith.muli %i, %four : tensor<64xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<64xi64>
  %address = arith.addi %base, %bytes : tensor<64xi64>
  %tile, %t = tileaa.load_ptr %address mask %mask padding %zero : tensor<64xf32> : tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
  return %tile : tensor<64xf32>
}

// -----

// Heads and columns of a token, without bounds: the offset has what counts elements.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: (%[[X:.*]]: i64
// CHECK: %[[VIEW:.*]] = tileaa.make_view %[[X]], shape[], strides[] : <[4, 32], f16, strides = [128, 1]>
// CHECK: tileaa.load_view %[[VIEW]][%c0, %{{.*}}] dims [0, 1] {{.*}}inbounds = array<i1: true, true>
func.func @heads(%x: i64) -> tensor<4x32xf16> attributes {tileaa.kernel} {
  %two = arith.constant dense<2> : tensor<4x32xi64>
  %head_size = arith.constant dense<128> : tensor<4x1xi64>
  %token_size = arith.constant 512 : i64
  %token, %y, %z = tileaa.block_id
  %t = arith.extsi %token : i32 to i64
  %begin = arith.muli %t, %token_size : i64
  %h = tileaa.iota : tensor<4xi64>
  %c = tileaa.iota : tensor<32xi64>
  %head = tileaa.reshape %h : tensor<4xi64> -> tensor<4x1xi64>
  %distance = arith.muli %head, %head_size : tensor<4x1xi64>
  %column = tileaa.reshape %c : tensor<32xi64> -> tensor<1x32xi64>
  %distances = tileaa.broadcast %distance : tensor<4x1xi64> -> tensor<4x32xi64>
  %columns = tileaa.broadcast %column : tensor<1x32xi64> -> tensor<4x32xi64>
  %begins = tileaa.broadcast %begin : i64 -> tensor<4x32xi64>
  %sum = arith.addi %distances, %columns : tensor<4x32xi64>
  %offset = arith.addi %begins, %sum : tensor<4x32xi64>
  %bytes = arith.muli %offset, %two : tensor<4x32xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<4x32xi64>
  %address = arith.addi %base, %bytes : tensor<4x32xi64>
  %tile, %token_out = tileaa.load_ptr %address : tensor<4x32xi64>, -> tensor<4x32xf16>
  return %tile : tensor<4x32xf16>
}

// -----

// Left alone: rows by a list of numbers, every second element, another padding, a mask with a hole, an index of 8 bits
// that wraps around, an unsigned bound that may be negative of an index that may be.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-6: tileaa.load_ptr
// CHECK-NOT: tileaa.load_view
// CHECK: return
func.func @others(%x: i64, %numbers: tensor<64xi64>, %n: i64, %b: i32) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128xf32>, tensor<64xf32>) attributes {tileaa.kernel} {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %four = arith.constant dense<4> : tensor<64xi64>
  %eight = arith.constant dense<8> : tensor<64xi64>
  %i = tileaa.iota : tensor<64xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<64xi64>
  %listed = arith.muli %numbers, %four : tensor<64xi64>
  %address0 = arith.addi %base, %listed : tensor<64xi64>
  %tile0, %t0 = tileaa.load_ptr %address0 : tensor<64xi64>, -> tensor<64xf32>
  %second = arith.muli %i, %eight : tensor<64xi64>
  %address1 = arith.addi %base, %second : tensor<64xi64>
  %tile1, %t1 = tileaa.load_ptr %address1 : tensor<64xi64>, -> tensor<64xf32>
  %bytes = arith.muli %i, %four : tensor<64xi64>
  %address2 = arith.addi %base, %bytes : tensor<64xi64>
  %few = arith.cmpi slt, %i, %four : tensor<64xi64>
  %tile2, %t2 = tileaa.load_ptr %address2 mask %few padding %one : tensor<64xf32> : tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
  %hole = arith.cmpi ne, %i, %four : tensor<64xi64>
  %tile3, %t3 = tileaa.load_ptr %address2 mask %hole padding %zero : tensor<64xf32> : tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
  %short = tileaa.iota : tensor<128xi8>
  %hundred = arith.constant dense<100> : tensor<128xi8>
  %beyond = arith.addi %short, %hundred : tensor<128xi8>
  %wide = arith.extsi %beyond : tensor<128xi8> to tensor<128xi64>
  %fours = arith.constant dense<4> : tensor<128xi64>
  %wrapped = arith.muli %wide, %fours : tensor<128xi64>
  %bases = tileaa.broadcast %x : i64 -> tensor<128xi64>
  %address4 = arith.addi %bases, %wrapped : tensor<128xi64>
  %tile4, %t4 = tileaa.load_ptr %address4 : tensor<128xi64>, -> tensor<128xf32>
  %start = arith.extsi %b : i32 to i64
  %starts = tileaa.broadcast %start : i64 -> tensor<64xi64>
  %at = arith.addi %starts, %i : tensor<64xi64>
  %end = tileaa.broadcast %start : i64 -> tensor<64xi64>
  %below = arith.cmpi ult, %at, %end : tensor<64xi64>
  %tile5, %t5 = tileaa.load_ptr %address2 mask %below padding %zero : tensor<64xf32> : tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
  return %tile0, %tile1, %tile2, %tile3, %tile4, %tile5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128xf32>, tensor<64xf32>
}
