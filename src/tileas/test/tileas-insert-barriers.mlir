// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-insert-barriers))' | FileCheck %s

#x = #tileas.layout<"{register: 32, lane: 1 2 4 8 16, warp: 64 128} -> 256">
#b = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128} -> 256">
!tile = tensor<256xf32, #x>
!buffer = !tileas.buffer<256xf32, #b>

// CHECK-LABEL: func.func @sequence
func.func @sequence(%x: !tile) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // %a and %c share bytes, %b has its own. Two writes of two buffers wait for nothing, two reads neither.
  // CHECK: tileas.write
  // CHECK-NEXT: tileas.write
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.write
  // CHECK-NEXT: return
  %a = tileas.alloc at 0 : !buffer
  %b = tileas.alloc at 1024 : !buffer
  %c = tileas.alloc at 512 : !buffer
  tileas.write %x, %a : !tile, !buffer
  tileas.write %x, %b : !tile, !buffer
  %0 = tileas.read %a : !buffer -> !tile
  %1 = tileas.read %b : !buffer -> !tile
  %2 = tileas.read %a : !buffer -> !tile
  tileas.write %x, %c : !tile, !buffer
  return
}

// A barrier that stands there is enough.
// CHECK-LABEL: func.func @standing
func.func @standing(%x: !tile) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK-COUNT-1: tileas.barrier
  // CHECK-NOT: tileas.barrier
  %a = tileas.alloc at 0 : !buffer
  tileas.write %x, %a : !tile, !buffer
  tileas.barrier
  %0 = tileas.read %a : !buffer -> !tile
  return
}

// CHECK-LABEL: func.func @loop
func.func @loop(%x: !tile, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // The write waits for the read of the iteration before.
  // CHECK: scf.for
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.write
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tileas.alloc at 0 : !buffer
  %b = tileas.alloc at 1024 : !buffer
  scf.for %i = %c0 to %n step %c1 {
    tileas.write %x, %a : !tile, !buffer
    %0 = tileas.read %a : !buffer -> !tile
  }
  // Reads only, after one write.
  // CHECK: tileas.write
  // CHECK: scf.for
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  tileas.write %x, %b : !tile, !buffer
  scf.for %i = %c0 to %n step %c1 {
    %0 = tileas.read %b : !buffer -> !tile
  }
  return
}

// Two buffers that change places: the loop's argument may be either.
// CHECK-LABEL: func.func @rotating
func.func @rotating(%x: !tile, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: scf.for
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.write
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tileas.alloc at 0 : !buffer
  %b = tileas.alloc at 1024 : !buffer
  tileas.write %x, %a : !tile, !buffer
  %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (!buffer, !buffer) {
    %0 = tileas.read %from : !buffer -> !tile
    tileas.write %0, %to : !tile, !buffer
    scf.yield %to, %from : !buffer, !buffer
  }
  return
}

// Sides of a branch do not follow each other; after it, whatever one of them left open.
// CHECK-LABEL: func.func @branch
func.func @branch(%x: !tile, %c: i1) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: scf.if
  // CHECK-NEXT: tileas.write
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tileas.write
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  // CHECK-NEXT: }
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  %a = tileas.alloc at 0 : !buffer
  scf.if %c {
    tileas.write %x, %a : !tile, !buffer
  } else {
    tileas.write %x, %a : !tile, !buffer
    %1 = tileas.read %a : !buffer -> !tile
  }
  %0 = tileas.read %a : !buffer -> !tile
  return
}

// CHECK-LABEL: func.func @while
func.func @while(%x: !tile, %n: i32) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: scf.while
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.read
  // CHECK: } do {
  // CHECK: tileas.barrier
  // CHECK-NEXT: tileas.write
  %a = tileas.alloc at 0 : !buffer
  tileas.write %x, %a : !tile, !buffer
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %0 = tileas.read %a : !buffer -> !tile
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    tileas.write %x, %a : !tile, !buffer
    scf.yield %i : i32
  }
  return
}
