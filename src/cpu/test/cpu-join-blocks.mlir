// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-join-blocks --verify-each | FileCheck %s

!rows = !tileaa.view<[?, ?], f32, strides = [?, 1]>
!line = !tileaa.view<[?], f32, strides = [1]>

// Rows lie side by side along the dimension that the block has for them; the weights are loaded once. An array
// larger than the cache is written row by row.
// CHECK-LABEL: func.func @rows(
// CHECK: -> tensor<1x64xf32>
// CHECK-LABEL: func.func private @rows.joins(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index, {{.*}} -> i1
// CHECK: %[[ROWS:.*]] = arith.muli %c4, %[[N]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %[[M]]
// CHECK: arith.cmpi ult, %[[BYTES]], %c1048576
// CHECK-LABEL: func.func private @rows.joined(
// CHECK-SAME: cpu.joined = 8
// CHECK: load_view %{{.*}}[%[[ROW:.*]], %c0] dims [0, 1] {{.*}} -> tensor<8x64xf32>
// CHECK: linalg.generic {{.*}}"parallel", "reduction"]} ins(%{{.*}} : tensor<8x64xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: load_view {{.*}} -> tensor<64xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<8xf32>, tensor<64xf32>)
// CHECK: store_view {{.*}} dims [0, 1] : tensor<8x64xf32>
func.func @rows(%n: index, %m: index, %x: i64, %y: i64, %w: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 8, stream_bytes = 1048576>} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n, %m], strides [%m] : !rows
  %vy = tileaa.make_view %y, shape [%n, %m], strides [%m] : !rows
  %vw = tileaa.make_view %w, shape [%m], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !rows -> tensor<1x64xf32>
  %sum = tileaa.reduce %tile from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x64xf32>, f32) -> tensor<1xf32>
  %column = tileaa.reshape %sum : tensor<1xf32> -> tensor<1x1xf32>
  %all = tileaa.broadcast %column : tensor<1x1xf32> -> tensor<1x64xf32>
  %weight, %t1 = tileaa.load_view %vw[%c0] dims [0] padding zero : !line -> tensor<64xf32>
  %line = tileaa.reshape %weight : tensor<64xf32> -> tensor<1x64xf32>
  %part = arith.divf %tile, %all : tensor<1x64xf32>
  %scaled = arith.mulf %part, %line : tensor<1x64xf32>
  %t2 = tileaa.store_view %scaled, %vy[%row, %c0] dims [0, 1] : tensor<1x64xf32>, !rows
  return
}

// The dimension of the blocks is a new one, the scalar that is a block's sum an element of a tile, and the number of a
// block that of its row.
// CHECK-LABEL: func.func private @lines.joined(
// CHECK: load_view {{.*}} dims [0, 1] {{.*}} -> tensor<4x64xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}"parallel", "reduction"]} ins(%{{.*}} : tensor<4x64xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: %[[STORED:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.mulf %in, %in
// CHECK: store_view %[[STORED]], {{.*}} dims [0] : tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SUMS]] : tensor<4x64xf32>, tensor<4xf32>)
// CHECK: %[[NUMBER:.*]] = linalg.index 0
// CHECK: %[[LATER:.*]] = arith.index_cast
// CHECK: %[[BLOCK:.*]] = arith.addi %{{.*}}, %[[LATER]] : i32
// CHECK: arith.sitofp %[[BLOCK]]
// CHECK: store_view {{.*}} dims [0, 1] : tensor<4x64xf32>
func.func @lines(%n: index, %m: index, %x: i64, %y: i64, %w: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n, %m], strides [%m] : !rows
  %vy = tileaa.make_view %y, shape [%n, %m], strides [%m] : !rows
  %vw = tileaa.make_view %w, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [1] padding zero : !rows -> tensor<64xf32>
  %sum = tileaa.reduce %tile from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<64xf32>, f32) -> tensor<f32>
  %element = tensor.extract %sum[] : tensor<f32>
  %square = arith.mulf %element, %element : f32
  %t1 = tileaa.store_view %square, %vw[%row] dims [] : f32, !line
  %number = arith.sitofp %bx : i32 to f32
  %all = tileaa.broadcast %element : f32 -> tensor<64xf32>
  %numbers = tileaa.broadcast %number : f32 -> tensor<64xf32>
  %scaled = arith.mulf %tile, %all : tensor<64xf32>
  %moved = arith.addf %scaled, %numbers : tensor<64xf32>
  %t2 = tileaa.store_view %moved, %vy[%row, %c0] dims [1] : tensor<64xf32>, !rows
  return
}

// Pieces of a line lie one after another; indices count from where their block begins.
// Blocks of a few lines are joined from arrays of any size.
// CHECK-LABEL: func.func @pieces(
// CHECK-NOT: @pieces.joins
// CHECK-LABEL: func.func private @pieces.joined(
// CHECK: load_view {{.*}} -> tensor<32xf32>
// CHECK: %[[INDEX:.*]] = linalg.index 0
// CHECK: arith.remui %[[INDEX]], %c8
// CHECK: store_view {{.*}} : tensor<32xf32>
func.func @pieces(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4, stream_bytes = 1048576>} {
  %c8 = arith.constant 8 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %first = arith.muli %block, %c8 : index
  %tile, %t0 = tileaa.load_view %vx[%first] dims [0] padding zero : !line -> tensor<8xf32>
  %indices = tileaa.iota : tensor<8xi32>
  %places = arith.sitofp %indices : tensor<8xi32> to tensor<8xf32>
  %moved = arith.addf %tile, %places : tensor<8xf32>
  %t1 = tileaa.store_view %moved, %vy[%first] dims [0] : tensor<8xf32>, !line
  return
}

// A promise about the number of a block does not go into the body of a loop.
// CHECK-LABEL: func.func private @promise.joined(
// CHECK: linalg.generic
// CHECK-NOT: tileaa.assume_div_by
// CHECK: store_view
func.func @promise(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %even = tileaa.assume_div_by %bx, 2 : i32
  %number = arith.sitofp %even : i32 to f32
  %numbers = tileaa.broadcast %number : f32 -> tensor<1xf32>
  %tile, %t0 = tileaa.load_view %vx[%block] dims [0] padding zero : !line -> tensor<1xf32>
  %moved = arith.addf %tile, %numbers : tensor<1xf32>
  %t1 = tileaa.store_view %moved, %vy[%block] dims [0] : tensor<1xf32>, !line
  return
}

// The plan says no.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: @alone.joined
func.func @alone(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 1>} {
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%block] dims [0] padding zero : !line -> tensor<1xf32>
  %t1 = tileaa.store_view %tile, %vy[%block] dims [0] : tensor<1xf32>, !line
  return
}

// Boxes of neighbours overlap.
// CHECK-LABEL: func.func @overlapping
// CHECK-NOT: @overlapping.joined
func.func @overlapping(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%block] dims [0] padding zero : !line -> tensor<8xf32>
  %t1 = tileaa.store_view %tile, %vy[%block] dims [0] : tensor<8xf32>, !line
  return
}

// What a block stores is the sum of several elements along the dimension of the blocks.
// CHECK-LABEL: func.func @sum_across
// CHECK-NOT: @sum_across.joined
func.func @sum_across(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %c8 = arith.constant 8 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %first = arith.muli %block, %c8 : index
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%first] dims [0] padding zero : !line -> tensor<8xf32>
  %sum = tileaa.reduce %tile from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<8xf32>, f32) -> tensor<f32>
  %element = tensor.extract %sum[] : tensor<f32>
  %t1 = tileaa.store_view %element, %vy[%block] dims [] : f32, !line
  return
}

// All blocks store to one place.
// CHECK-LABEL: func.func @same_place
// CHECK-NOT: @same_place.joined
func.func @same_place(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%block] dims [0] padding zero : !line -> tensor<1xf32>
  %t1 = tileaa.store_view %tile, %vy[%block] dims [0] : tensor<1xf32>, !line
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] : tensor<1xf32>, !line
  return
}

// The row is known by what the block loads.
// CHECK-LABEL: func.func @rows_of_a_table
// CHECK-NOT: @rows_of_a_table.joined
func.func @rows_of_a_table(%n: index, %m: index, %x: i64, %y: i64, %w: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n, %m], strides [%m] : !rows
  %vy = tileaa.make_view %y, shape [%n, %m], strides [%m] : !rows
  %vw = tileaa.make_view %w, shape [%n], strides [] : !tileaa.view<[?], i32, strides = [1]>
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %which, %t0 = tileaa.load_view %vw[%block] dims [] padding zero : !tileaa.view<[?], i32, strides = [1]> -> i32
  %row = arith.index_cast %which : i32 to index
  %tile, %t1 = tileaa.load_view %vx[%row, %c0] dims [0, 1] padding zero : !rows -> tensor<1x64xf32>
  %t2 = tileaa.store_view %tile, %vy[%block, %c0] dims [0, 1] : tensor<1x64xf32>, !rows
  return
}

// Control flow, and a print.
// CHECK-LABEL: func.func @loop
// CHECK-NOT: @loop.joined
func.func @loop(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  scf.for %i = %c0 to %block step %c1 {
    %tile, %t0 = tileaa.load_view %vx[%i] dims [0] padding zero : !line -> tensor<1xf32>
    %t1 = tileaa.store_view %tile, %vy[%block] dims [0] : tensor<1xf32>, !line
  }
  return
}

// CHECK-LABEL: func.func @print
// CHECK-NOT: @print.joined
func.func @print(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel, cpu.plan = #cpu.plan<joined_blocks = 4>} {
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%n], strides [] : !line
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%block] dims [0] padding zero : !line -> tensor<1xf32>
  %t1 = tileaa.print "%f"(%tile : tensor<1xf32>)
  %t2 = tileaa.store_view %tile, %vy[%block] dims [0] : tensor<1xf32>, !line
  return
}
