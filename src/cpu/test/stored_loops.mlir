// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that compute a tile where it is stored, with the loads that they alone read.
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v3 --cpu-place-loads --cpu-verify-loads --verify-each | FileCheck %s

!v = !tileaa.view<[?], f32, strides = [1]>
!m = !tileaa.view<[?, ?], f32, strides = [?, 1]>

// Where both tiles lie inside, the loop runs over them in place; else over the box that is stored: the other tile is
// copied only where its array ends before. The latter is the one that may write past the cache.
// CHECK-LABEL: func.func @edge
// CHECK-SAME: %arg0: i64, %[[N:.*]]: index, %arg2: i64, %[[K:.*]]: index
// CHECK: %[[OUT:.*]] = arith.cmpi sge, %[[K]], %c64
// CHECK: %[[IN:.*]] = arith.cmpi sge, %[[N]], %c64
// CHECK: %[[WHOLE:.*]] = arith.andi %[[OUT]], %[[IN]]
// CHECK: %[[SMALL:.*]] = arith.xori
// CHECK: %[[FAST:.*]] = arith.andi %[[WHOLE]], %[[SMALL]]
// CHECK: scf.if %[[FAST]] {
// CHECK-NOT: cpu.copy_in
// CHECK: linalg.generic
// CHECK-NOT: cpu.stream
// CHECK: } else {
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: %[[HAS:.*]] = arith.cmpi sle, %[[END]], %[[N]]
// CHECK: scf.if %[[HAS]]
// CHECK: cpu.copy_in
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[END]], %{{.*}} : index, index, tensor<64xf32>) {{.*}} attrs = {cpu.bounds, cpu.stream}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[END]], %{{.*}} : index, index, tensor<64xf32>) {{.*}} attrs = {cpu.bounds}
// CHECK-NOT: cpu.copy_out
// CHECK: return
func.func @edge(%x: i64, %n: index, %y: i64, %k: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !v
  %vy = tileaa.make_view %y, shape [%k], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !v -> tensor<64xf32>
  %two = arith.addf %tile, %tile : tensor<64xf32>
  %t1 = tileaa.store_view %two, %vy[%c0] dims [0] : tensor<64xf32>, !v
  return
}

// A tile that another loop reads, too, has its padding.
// CHECK-LABEL: func.func @two_readers
// CHECK: cpu.edge
// CHECK-NOT: cpu.bounds
// CHECK: return
func.func @two_readers(%x: i64, %n: index, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [%n], strides [] : !v
  %vy = tileaa.make_view %y, shape [%n], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !v -> tensor<64xf32>
  %sum = tileaa.reduce %tile from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<64xf32>, f32) -> f32
  %sums = tileaa.broadcast %sum : f32 -> tensor<64xf32>
  %scaled = arith.divf %tile, %sums : tensor<64xf32>
  %t1 = tileaa.store_view %scaled, %vy[%c0] dims [0] : tensor<64xf32>, !v
  return
}

// A transposition works on square blocks, which have no bounds.
// CHECK-LABEL: func.func @turned
// CHECK-NOT: cpu.bounds
// CHECK: cpu.copy_out
func.func @turned(%x: i64, %n: index, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !m
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !m
  %tile, %t0 = tileaa.load_view %vx[%c0, %c0] dims [1, 0] padding zero : !m -> tensor<32x32xf32>
  %two = arith.addf %tile, %tile : tensor<32x32xf32>
  %t1 = tileaa.store_view %two, %vy[%c0, %c0] dims [0, 1] : tensor<32x32xf32>, !m
  return
}

// The array is read elsewhere: the loop has a tile of its own.
// CHECK-LABEL: func.func @same_array
// CHECK-NOT: cpu.bounds
// CHECK: return
func.func @same_array(%x: i64, %n: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !v -> tensor<64xf32>
  %two = arith.addf %tile, %tile : tensor<64xf32>
  %t1 = tileaa.store_view %two, %vx[%c0] dims [0] : tensor<64xf32>, !v
  return
}

// Rows above and below, in tiles that leave no gaps between blocks: one is fetched, at the highest address.
// CHECK-LABEL: func.func @trailing_rows
// CHECK: arith.maxui
// CHECK: attrs = {cpu.fetch = #cpu.fetch<1>}
func.func @trailing_rows(%x: i64, %n: index, %y: i64) attributes {tileaa.kernel} {
  %c64 = arith.constant 64 : i32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !m
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !m
  %bx, %by, %bz = tileaa.block_id
  %r = arith.index_cast %by : i32 to index
  %below = arith.addi %r, %c2 : index
  %first = arith.muli %bx, %c64 : i32
  %c = arith.index_cast %first : i32 to index
  %a, %t0 = tileaa.load_view %vx[%r, %c] dims [0, 1] {inbounds = array<i1: true, true>} : !m -> tensor<1x64xf32>
  %b, %t1 = tileaa.load_view %vx[%below, %c] dims [0, 1] {inbounds = array<i1: true, true>} : !m -> tensor<1x64xf32>
  %s = arith.addf %a, %b : tensor<1x64xf32>
  %t2 = tileaa.store_view %s, %vy[%r, %c] dims [0, 1] {inbounds = array<i1: true, true>} : tensor<1x64xf32>, !m
  return
}

// The two halves of a row: each is read for the first time.
// CHECK-LABEL: func.func @halves
// CHECK: attrs = {cpu.fetch = #cpu.fetch<2>}
func.func @halves(%x: i64, %n: index, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %vx = tileaa.make_view %x, shape [%n, %n], strides [%n] : !m
  %vy = tileaa.make_view %y, shape [%n, %n], strides [%n] : !m
  %bx, %by, %bz = tileaa.block_id
  %r = arith.index_cast %bx : i32 to index
  %a, %t0 = tileaa.load_view %vx[%r, %c0] dims [0, 1] {inbounds = array<i1: true, true>} : !m -> tensor<1x64xf32>
  %b, %t1 = tileaa.load_view %vx[%r, %c64] dims [0, 1] {inbounds = array<i1: true, true>} : !m -> tensor<1x64xf32>
  %s = arith.addf %a, %b : tensor<1x64xf32>
  %t2 = tileaa.store_view %s, %vy[%r, %c0] dims [0, 1] {inbounds = array<i1: true, true>} : tensor<1x64xf32>, !m
  return
}

// Neighbours in one array: the address of the second is that of the first and four bytes, inside and at the edge; where
// one of them does not have what is stored they are copied apart.
// CHECK-LABEL: func.func @neighbours
// CHECK: %[[FIRST:.*]] = arith.addi %arg0,
// CHECK: cpu.array %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c4_i64
// CHECK: cpu.array %[[SECOND]]
// CHECK: linalg.generic
// CHECK: cpu.array %[[EDGE:[0-9]*]],
// CHECK: arith.addi %{{.*}}, %c4_i64
// CHECK: attrs = {cpu.bounds, cpu.stream}
// CHECK: attrs = {cpu.bounds}
// CHECK: cpu.copy_in
// CHECK: cpu.copy_in
// CHECK: attrs = {cpu.bounds}
// CHECK: return
func.func @neighbours(%x: i64, %n: index, %y: i64, %i: i32) attributes {tileaa.kernel} {
  %c1 = arith.constant 1 : i32
  %next = arith.addi %i, %c1 : i32
  %at = arith.index_cast %i : i32 to index
  %behind = arith.index_cast %next : i32 to index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !v
  %vy = tileaa.make_view %y, shape [%n], strides [] : !v
  %a, %t0 = tileaa.load_view %vx[%at] dims [0] padding zero : !v -> tensor<64xf32>
  %b, %t1 = tileaa.load_view %vx[%behind] dims [0] padding zero : !v -> tensor<64xf32>
  %s = arith.addf %a, %b : tensor<64xf32>
  %t2 = tileaa.store_view %s, %vy[%at] dims [0] : tensor<64xf32>, !v
  return
}

// Two arguments of which one is the other and an element, whatever they are multiples of.
// CHECK-LABEL: func.func @views
// CHECK: cpu.array %[[FIRST:[0-9]+]],
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c-4_i64
// CHECK: cpu.array %[[SECOND]]
// CHECK: return
func.func @views(%x: i64, %n: index, %y: i64, %i: index) attributes {tileaa.kernel} {
  %c-4 = arith.constant -4 : i64
  %before = arith.addi %x, %c-4 : i64
  %base = tileaa.assume_div_by %before, 16 : i64
  %vx = tileaa.make_view %x, shape [%n], strides [] : !v
  %vb = tileaa.make_view %base, shape [%n], strides [] : !v
  %vy = tileaa.make_view %y, shape [%n], strides [] : !v
  %a, %t0 = tileaa.load_view %vx[%i] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %b, %t1 = tileaa.load_view %vb[%i] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %s = arith.addf %a, %b : tensor<64xf32>
  %t2 = tileaa.store_view %s, %vy[%i] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}
