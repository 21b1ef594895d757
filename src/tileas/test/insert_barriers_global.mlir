// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-insert-barriers))' | FileCheck %s

#x = #tileas.layout<"{register: 32, lane: 1 2 4 8 16, warp: 64 128} -> 256">
#y = #tileas.layout<"{register: 128, lane: 1 2 4 8 16, warp: 32 64} -> 256">
#copies = #tileas.layout<"{register: 32 128, lane: 1 2 4 8 16, warp: 64 0} -> 256">
!view = !tileaa.view<[?], f32, strides = [1]>

// CHECK-LABEL: func.func @boxes
func.func @boxes(%base: i64, %n: index, %i: index, %j: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
  // Each thread stores what it loaded, and loads it again: no barrier. Without a token nothing is ordered.
  // CHECK: load_view
  // CHECK-NEXT: store_view
  // CHECK-NEXT: load_view
  // CHECK-NEXT: load_view
  %a, %t0 = tileaa.load_view %v[%i] dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  %t1 = tileaa.store_view %a, %v[%i] after %t0 dims [0] : tensor<256xf32, #x>, <[?], f32, strides = [1]>
  %b, %t2 = tileaa.load_view %v[%i] after %t1 dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  %c, %t3 = tileaa.load_view %v[%j] dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  // Another box, through joined tokens.
  // CHECK-NEXT: tileaa.join_tokens
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view
  %t4 = tileaa.join_tokens %t3, %t2
  %d, %t5 = tileaa.load_view %v[%j] after %t4 dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  // Another layout of the same box: the read comes first.
  // CHECK-NEXT: tileas.convert_layout
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: store_view
  %e = tileas.convert_layout %d : tensor<256xf32, #x> -> tensor<256xf32, #y>
  %t6 = tileaa.store_view %e, %v[%j] after %t5 dims [0] : tensor<256xf32, #y>, <[?], f32, strides = [1]>
  return
}

// Threads with copies read what others store.
// CHECK-LABEL: func.func @copies
func.func @copies(%base: i64, %n: index, %i: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
  // CHECK: load_view
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: store_view
  %a, %t0 = tileaa.load_view %v[%i] dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #copies>
  %t1 = tileaa.store_view %a, %v[%i] after %t0 dims [0] : tensor<256xf32, #copies>, <[?], f32, strides = [1]>
  return
}

// CHECK-LABEL: func.func @loops
func.func @loops(%base: i64, %n: index, %j: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %t0 = tileaa.make_token
  %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
  // The store of the iteration before was of another box.
  // CHECK: scf.for
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view
  // CHECK-NEXT: store_view
  // CHECK-NEXT: scf.yield
  %t1 = scf.for %i = %c0 to %n step %c256 iter_args(%t = %t0) -> (!tileaa.token) {
    %a, %ta = tileaa.load_view %v[%i] after %t dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
    %tb = tileaa.store_view %a, %v[%i] after %ta dims [0] : tensor<256xf32, #x>, <[?], f32, strides = [1]>
    scf.yield %tb : !tileaa.token
  }
  // This one is the same in all iterations; only the first comes after another box.
  // CHECK: tileas.barrier
  // CHECK-NEXT: load_view
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: load_view
  // CHECK-NEXT: store_view
  // CHECK-NEXT: scf.yield
  %b, %t2 = tileaa.load_view %v[%j] after %t1 dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  %t3 = scf.for %i = %c0 to %n step %c256 iter_args(%t = %t2) -> (!tileaa.token) {
    %a, %ta = tileaa.load_view %v[%j] after %t dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
    %tb = tileaa.store_view %a, %v[%j] after %ta dims [0] : tensor<256xf32, #x>, <[?], f32, strides = [1]>
    scf.yield %tb : !tileaa.token
  }
  // Without tokens between iterations nothing orders them.
  // CHECK: scf.for
  // CHECK-NEXT: load_view
  // CHECK-NEXT: store_view
  scf.for %i = %c0 to %n step %c256 {
    %a, %ta = tileaa.load_view %v[%i] dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
    %tb = tileaa.store_view %a, %v[%i] after %ta dims [0] : tensor<256xf32, #x>, <[?], f32, strides = [1]>
  }
  return
}

// CHECK-LABEL: func.func @orderings
func.func @orderings(%base: i64, %p: i64, %n: index, %i: index, %x: i32) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
  // All that the block did comes before a release, with or without token; a relaxed one waits for what it comes after.
  // CHECK: load_view
  // CHECK-NEXT: tileaa.store_ptr relaxed
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileaa.store_ptr release
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileaa.atomic_rmw addi relaxed
  %a, %t0 = tileaa.load_view %v[%i] dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  %t1 = tileaa.store_ptr relaxed %p, %x : i64, i32,
  %t2 = tileaa.store_ptr release %p, %x after %t1 : i64, i32,
  %o, %t3 = tileaa.atomic_rmw addi relaxed %p, %x after %t2 : i64, i32,
  // Whatever comes after an acquire does so in all threads.
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileaa.load_ptr acquire
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view
  %l, %t4 = tileaa.load_ptr acquire %p after %t3 : i64, -> i32
  %b, %t5 = tileaa.load_view %v[%i] dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileaa.fence
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view
  %t6 = tileaa.fence
  %c, %t7 = tileaa.load_view %v[%i] after %t6 dims [0] : <[?], f32, strides = [1]> -> tensor<256xf32, #x>
  return
}
