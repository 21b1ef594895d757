// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v3 --cpu-place-loads --cpu-verify-loads --verify-each | FileCheck %s

// Atomics and ordered accesses among plain ones. They have a plan in which large stores go past the cache.

!v = !tileaa.view<[64], f32, strides = [1]>
#id = affine_map<(d0) -> (d0)>
!large = !tileaa.view<[4194304], f32, strides = [1]>

// The atomic changes the array before the last use of the tile: a copy.
// CHECK-LABEL: func.func @same_array
// CHECK: linalg.copy
// CHECK: cpu.atomic_rmw addf relaxed
func.func @same_array(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %old, %t1 = tileaa.atomic_rmw addf relaxed %x, %one : i64, f32,
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// A relaxed atomic of another array orders nothing else: the tile is read where it lies.
// CHECK-LABEL: func.func @another_array
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @another_array(%x: i64, %y: i64, %z: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %old, %t1 = tileaa.atomic_rmw addf relaxed %z, %one : i64, f32,
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// After a release another block may write the array: what is used afterwards has been read before.
// CHECK-LABEL: func.func @released
// CHECK: linalg.copy
// CHECK: cpu.ptr_store release
func.func @released(%x: i64, %y: i64, %flag: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %t1 = tileaa.store_ptr release %flag, %one : i64, i32,
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// A tile computed before an acquire is stored after it, not by the loop that computes it.
// CHECK-LABEL: func.func @acquired
// CHECK: arith.mulf
// CHECK: cpu.ptr_load acquire
// CHECK: cpu.array %{{.*}}, [], []
// CHECK: linalg.generic
func.func @acquired(%y: i64, %flag: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %empty = tensor.empty() : tensor<64xf32>
  %square = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%ones : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %seen, %t1 = tileaa.load_ptr acquire %flag : i64, -> i32
  %t2 = tileaa.store_view %square, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// Stores past the cache come after nothing: there are none where something is ordered.
// CHECK-LABEL: func.func @streamed
// CHECK: cpu.stream
func.func @streamed(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [], strides [] : !large
  %vy = tileaa.make_view %y, shape [], strides [] : !large
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !large -> tensor<256xf32>
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<256xf32>, !large
  return
}

// CHECK-LABEL: func.func @not_streamed
// CHECK-NOT: cpu.stream
// CHECK: return
func.func @not_streamed(%x: i64, %y: i64, %flag: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %vx = tileaa.make_view %x, shape [], strides [] : !large
  %vy = tileaa.make_view %y, shape [], strides [] : !large
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !large -> tensor<256xf32>
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<256xf32>, !large
  %t1 = tileaa.store_ptr release %flag, %one : i64, i32,
  return
}

// Behind a fence, other addresses may be the same memory.
// CHECK-LABEL: func.func @fenced
// CHECK: linalg.copy
// CHECK-NOT: tileaa.fence
// CHECK: return
func.func @fenced(%x: i64, %y: i64, %z: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %t1 = tileaa.fence after %t0
  %t2 = tileaa.store_view %tile, %vy[%c0] after %t1 dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// Memory of the block is an array of its own.
// CHECK-LABEL: func.func @own_memory
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @own_memory(%x: i64, %y: i64, %value: f32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %a = tileaa.alloca 256 aligned 4
  %vx = tileaa.make_view %x, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %t1 = tileaa.store_ptr %a, %value : i64, f32,
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// Two views of it are not told apart.
// CHECK-LABEL: func.func @own_memory_twice
// CHECK: linalg.copy
func.func @own_memory_twice(%y: i64, %value: f32) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %a = tileaa.alloca 256 aligned 4
  %va = tileaa.make_view %a, shape [], strides [] : !v
  %vy = tileaa.make_view %y, shape [], strides [] : !v
  %tile, %t0 = tileaa.load_view %va[%c0] dims [0] {inbounds = array<i1: true>} : !v -> tensor<64xf32>
  %t1 = tileaa.store_ptr %a, %value : i64, f32,
  %t2 = tileaa.store_view %tile, %vy[%c0] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !v
  return
}

// A tile is gathered, then an atomic says where it goes: the atomic stays behind the loads.
// CHECK-LABEL: func.func @ticket
// CHECK: cpu.ptr_load
// CHECK: cpu.atomic_rmw addi relaxed %arg1
// CHECK: linalg.generic
func.func @ticket(%x: i64, %counter: i64, %y: i64) attributes {tileaa.kernel} {
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %iota = tileaa.iota : tensor<64xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<64xi64>
  %addresses = arith.addi %base, %iota : tensor<64xi64>
  %tile, %t0 = tileaa.load_ptr %addresses : tensor<64xi64>, -> tensor<64xf32>
  %old, %t1 = tileaa.atomic_rmw addi relaxed %counter, %one : i64, i32,
  %place = arith.index_cast %old : i32 to index
  %first = arith.muli %place, %c64 : index
  %vy = tileaa.make_view %y, shape [], strides [] : !large
  %t2 = tileaa.store_view %tile, %vy[%first] dims [0] {inbounds = array<i1: true>} : tensor<64xf32>, !large
  return
}
