// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v3 --cpu-place-loads --cpu-verify-loads --verify-each | FileCheck %s

!v = !tileaa.view<[64], f32, strides = [1]>

// Nothing is written to %x: its tile is read where it lies.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: linalg.copy
// CHECK: cpu.array
// CHECK: bufferization.to_tensor {{.*}} restrict
func.func @in_place(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %two = arith.addf %tile, %tile : tensor<64xf32>
  %t1 = tileaa.store_view %two, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// The array is overwritten through the same view before the last use: a copy.
// CHECK-LABEL: func.func @same_view
// CHECK: linalg.copy
func.func @same_view(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %t1 = tileaa.store_view %zeros, %vx[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// Through another view of the same parameter.
// CHECK-LABEL: func.func @another_view
// CHECK: linalg.copy
func.func @another_view(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : i64
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %shifted = arith.addi %x, %c16 : i64
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %other = tileaa.make_view %shifted, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %t1 = tileaa.store_view %zeros, %other[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// Through pointers.
// CHECK-LABEL: func.func @pointers
// CHECK: linalg.copy
func.func @pointers(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %size = arith.constant dense<4> : tensor<64xi64>
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %iota = tileaa.iota : tensor<64xi64>
  %bytes = arith.muli %iota, %size : tensor<64xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<64xi64>
  %addresses = arith.addi %base, %bytes : tensor<64xi64>
  %t1 = "tileaa.store_ptr"(%addresses, %zeros) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<64xi64>, tensor<64xf32>) -> !tileaa.token
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

!short = !tileaa.view<[16], f32, strides = [1]>

// A short tile that may stick out is copied at the edge only.
// CHECK-LABEL: func.func @edge
// CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %arg1, %c16
// CHECK: scf.if %[[WHOLE]]
// CHECK: cpu.array
// CHECK: } else {
// CHECK: cpu.copy_in
func.func @edge(%x: i64, %n: index, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !tileaa.view<[?], f32, strides = [1]>
  %vy = tileaa.make_view %y, shape [], strides [] : !short
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !tileaa.view<[?], f32, strides = [1]> -> tensor<16xf32>
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<16xf32>, !short
  return
}

// An index may be negative: elements before the view are padding, too. Those of dimensions that the tile lacks may be
// outside: nothing is read there.
// CHECK-LABEL: func.func @outside
// CHECK-DAG: %[[BEGINS:.*]] = arith.cmpi sge, %arg2, %c0
// CHECK-DAG: arith.cmpi sge, %arg3, %c0
// CHECK: } else {
// CHECK: %[[LEFT:.*]] = arith.minsi
// CHECK: %[[BOX:.*]] = arith.select %{{.*}}, %[[LEFT]], %{{.*}} : index
// CHECK: cpu.array %{{.*}}, [%[[BOX]]]
// CHECK: %[[NEGATED:.*]] = arith.subi %{{.*}}, %arg3
// CHECK: %[[MISSING:.*]] = arith.maxsi %[[NEGATED]]
// CHECK: %[[BEFORE:.*]] = arith.minsi %[[MISSING]], %c16
// CHECK: cpu.copy_in {{.*}} before[%[[BEFORE]]]
func.func @outside(%x: i64, %n: index, %i: index, %j: index, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !tileaa.view<[?, ?], f32, strides = [?, 1]>
  %vy = tileaa.make_view %y, shape [], strides [] : !short
  %tile, %t0 = tileaa.load_view %vx[%i, %j] dims [1] padding zero : !tileaa.view<[?, ?], f32, strides = [?, 1]> -> tensor<16xf32>
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<16xf32>, !short
  return
}

// Rows of a matrix, one a block: the loop that adds up this row fetches a later one. So short a row is over before
// memory answers: the row is one more than 8 KiB ahead.
// CHECK-LABEL: func.func @fetches_next_row
// CHECK: %[[BLOCKS:.*]] = arith.constant 33 : i32
// CHECK: %[[LATER:.*]] = arith.addi %x, %[[BLOCKS]] : i32
// CHECK: %[[ROW:.*]] = arith.index_cast %[[LATER]]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}}, %[[AHEAD:.*]] : tensor<64xf32>, tensor<64xf32>) {{.*}} attrs = {cpu.fetch = #cpu.fetch<1>}
func.func @fetches_next_row(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [], strides [] : !tileaa.view<[128, 64], f32, strides = [64, 1]>
  %vy = tileaa.make_view %y, shape [], strides [] : !tileaa.view<[128], f32, strides = [1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [1] {inbounds = array<i1: true, true>} : !tileaa.view<[128, 64], f32, strides = [64, 1]> -> tensor<64xf32>
  %sum = tileaa.reduce %tile from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<64xf32>, f32) -> f32
  %t1 = tileaa.store_view %sum, %vy[%row] dims [] {inbounds = array<i1: true>} : f32, !tileaa.view<[128], f32, strides = [1]>
  return
}

// One loop that reads rows of two matrices fetches later ones of both.
// CHECK-LABEL: func.func @fetches_two
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64xi32>, tensor<64xf32>, tensor<64xi32>) {{.*}} attrs = {cpu.fetch = #cpu.fetch<2>}
func.func @fetches_two(%x: i64, %y: i64, %z: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %vx = tileaa.make_view %x, shape [], strides [] : !tileaa.view<[128, 64], f32, strides = [64, 1]>
  %vy = tileaa.make_view %y, shape [], strides [] : !tileaa.view<[128, 64], i32, strides = [64, 1]>
  %vz = tileaa.make_view %z, shape [], strides [] : !tileaa.view<[128], f32, strides = [1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %a, %t0 = tileaa.load_view %vx[%row, %c0] dims [1] {inbounds = array<i1: true, true>} : !tileaa.view<[128, 64], f32, strides = [64, 1]> -> tensor<64xf32>
  %b, %t1 = tileaa.load_view %vy[%row, %c0] dims [1] {inbounds = array<i1: true, true>} : !tileaa.view<[128, 64], i32, strides = [64, 1]> -> tensor<64xi32>
  %sum, %count = tileaa.reduce %a, %b from %zero, %none along 0 {
  ^bb0(%p: f32, %q: f32, %m: i32, %n: i32):
    %s = arith.addf %p, %q : f32
    %k = arith.addi %m, %n : i32
    tileaa.yield %s, %k : f32, i32
  } : (tensor<64xf32>, tensor<64xi32>, f32, i32) -> (f32, i32)
  %t2 = tileaa.store_view %sum, %vz[%row] dims [] {inbounds = array<i1: true>} : f32, !tileaa.view<[128], f32, strides = [1]>
  return
}

// Two short loops over a row, the second waiting for the first: each fetches half of a later row.
// CHECK-LABEL: func.func @fetches_halves
// CHECK: linalg.generic {{.*}} attrs = {cpu.fetch = #cpu.fetch<1, half = 0>}
// CHECK: linalg.generic {{.*}} attrs = {cpu.fetch = #cpu.fetch<1, half = 1>}
func.func @fetches_halves(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %vx = tileaa.make_view %x, shape [], strides [] : !tileaa.view<[128, 64], f32, strides = [64, 1]>
  %vy = tileaa.make_view %y, shape [], strides [] : !tileaa.view<[128], f32, strides = [1]>
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %tile, %t0 = tileaa.load_view %vx[%row, %c0] dims [1] {inbounds = array<i1: true, true>} : !tileaa.view<[128, 64], f32, strides = [64, 1]> -> tensor<64xf32>
  %sum = tileaa.reduce %tile from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<64xf32>, f32) -> f32
  %product = tileaa.reduce %tile from %sum along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<64xf32>, f32) -> f32
  %t1 = tileaa.store_view %product, %vy[%row] dims [] {inbounds = array<i1: true>} : f32, !tileaa.view<[128], f32, strides = [1]>
  return
}

!row = !tileaa.view<[?, ?], f32, strides = [?, 1]>

// Two loops along the rows of a tile that sticks out of its array access only what is inside.
// CHECK-LABEL: func.func @row_with_edge
// CHECK-NOT: cpu.copy
// CHECK: cpu.edge %{{.*}} before{{.*}}, %{{.*}} : f32
// CHECK: cpu.edge
// CHECK-NOT: cpu.copy
// CHECK: return
func.func @row_with_edge(%x: i64, %y: i64, %rows: index, %columns: index, %at: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%rows, %columns], strides [%columns] : !row
  %vy = tileaa.make_view %y, shape [%rows, %columns], strides [%columns] : !row
  %tile, %t0 = tileaa.load_view %vx[%at, %c0] dims [0, 1] padding zero : !row -> tensor<1x512xf32>
  %zero = arith.constant 0.0 : f32
  %sum = tileaa.reduce %tile from %zero along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1x512xf32>, f32) -> tensor<1xf32>
  %column = tileaa.reshape %sum : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tileaa.broadcast %column : tensor<1x1xf32> -> tensor<1x512xf32>
  %scaled = arith.divf %tile, %sums : tensor<1x512xf32>
  %t1 = tileaa.store_view %scaled, %vy[%at, %c0] dims [0, 1] : tensor<1x512xf32>, !row
  return
}

// A transposition does not walk along the rows of both.
// CHECK-LABEL: func.func @transposed_with_edge
// CHECK-NOT: cpu.edge
// CHECK: cpu.copy_in
// CHECK: cpu.copy_out
func.func @transposed_with_edge(%x: i64, %y: i64, %rows: index, %columns: index, %at: index) attributes {tileaa.kernel} {
  %vx = tileaa.make_view %x, shape [%rows, %columns], strides [%columns] : !row
  %vy = tileaa.make_view %y, shape [%columns, %rows], strides [%rows] : !row
  %tile, %t0 = tileaa.load_view %vx[%at, %at] dims [0, 1] padding zero : !row -> tensor<512x512xf32>
  %turned = tileaa.permute %tile by [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>
  %t1 = tileaa.store_view %turned, %vy[%at, %at] dims [0, 1] : tensor<512x512xf32>, !row
  return
}
