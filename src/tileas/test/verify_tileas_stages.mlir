// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: the groups of copies into stages that all threads fill and read, by their numbers.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --verify-tileas --split-input-file --verify-diagnostics

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<3 x [<128xf32, #shared>]>
!view = !tileaa.view<[?, 128], f32, strides = [128, 1]>

// Two iterations ahead: the wait leaves the newer of two groups pending.
func.func @legal(%v: !view, %n: index, %more: i1) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 3120>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  scf.for %block = %c0 to %n step %c1 {
    tileas.barrier
    %ring = tileas.create_pipeline of 0 at 0 : !ring
    tileas.async_load %v[%c0, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
    tileas.async_commit
    tileas.async_load %v[%c1, %c0] dims [1] into %ring[%1, 0] if %more by #x : !view, !ring
    tileas.async_commit
    %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %0, %next = %2) -> (i32, i32) {
      tileas.async_wait %ring, 1 : !ring
      tileas.async_load %v[%i, %c0] dims [1] into %ring[%next, 0] if %more by #x : !view, !ring
      tileas.async_commit
      %a = tileas.stage %ring[%now, 0] : !ring -> <128xf32, #shared>
      %y = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
      %now1 = arith.addi %now, %1 : i32
      %now3 = arith.cmpi eq, %now1, %3 : i32
      %nowNext = arith.select %now3, %0, %now1 : i32
      %next1 = arith.addi %next, %1 : i32
      %next3 = arith.cmpi eq, %next1, %3 : i32
      %nextNext = arith.select %next3, %0, %next1 : i32
      scf.yield %nowNext, %nextNext : i32, i32
    }
  }
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<3 x [<128xf32, #shared>]>
!view = !tileaa.view<[?, 128], f32, strides = [128, 1]>

// The first group of the prologue is not committed by itself: there is one group, and the wait leaves it pending.
func.func @missing_commit(%v: !view, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 3120>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %ring = tileas.create_pipeline of 0 at 0 : !ring
  // expected-note@+1 {{the earlier access}}
  tileas.async_load %v[%c0, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
  tileas.async_load %v[%c1, %c0] dims [1] into %ring[%1, 0] by #x : !view, !ring
  tileas.async_commit
  scf.for %i = %c0 to %n step %c1 {
    tileas.async_wait %ring, 1 : !ring
    tileas.async_commit
    %a = tileas.stage %ring[%0, 0] : !ring -> <128xf32, #shared>
    // expected-error@+1 {{'tileas.read' op breaks the rule 'asynchronous-copy': reads a stage before the group of its copies is known to be complete}}
    %y = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
  }
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<3 x [<128xf32, #shared>]>
!view = !tileaa.view<[?, 128], f32, strides = [128, 1]>

// The wait leaves both groups pending. The second iteration reads a stage into which nothing is copied.
func.func @pending(%v: !view) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 3120>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %ring = tileas.create_pipeline of 0 at 0 : !ring
  // expected-note@+1 {{the earlier access}}
  tileas.async_load %v[%c0, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
  tileas.async_commit
  tileas.async_commit
  scf.for %i = %c0 to %c2 step %c1 iter_args(%now = %0) -> i32 {
    tileas.async_wait %ring, 2 : !ring
    %a = tileas.stage %ring[%0, 0] : !ring -> <128xf32, #shared>
    // expected-error@+1 {{reads a stage before the group of its copies is known to be complete}}
    %y = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
    %b = tileas.stage %ring[%now, 0] : !ring -> <128xf32, #shared>
    tileas.async_wait %ring, 0 : !ring
    // expected-error@+1 {{'tileas.read' op breaks the rule 'asynchronous-copy': reads a stage that nothing has been copied into}}
    %z = tileas.read %b : <128xf32, #shared> -> tensor<128xf32, #x>
    %next = arith.addi %now, %2 : i32
    scf.yield %next : i32
  }
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<1 x [<128xf32, #shared>]>
!view = !tileaa.view<[?, 128], f32, strides = [128, 1]>

// One stage, which is filled again as soon as this thread has read it.
func.func @filled_again(%v: !view, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 3120>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %ring = tileas.create_pipeline of 0 at 0 : !ring
  tileas.async_load %v[%c0, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
  tileas.async_commit
  scf.for %i = %c0 to %n step %c1 {
    tileas.async_wait %ring, 0 : !ring
    %a = tileas.stage %ring[%0, 0] : !ring -> <128xf32, #shared>
    // expected-note@+1 {{the earlier access}}
    %y = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
    // expected-error@+1 {{'tileas.async_load' op breaks the rule 'asynchronous-copy': fills a stage that other threads may still read: expected a tileas.async_wait between them}}
    tileas.async_load %v[%i, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
    tileas.async_commit
  }
  return
}

// -----

// A product that runs on reads its stages until the wait of an iteration leaves no more than the newest running.
#left = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
#copier = #tileas.layout<"{register: (0,1) (0,2) (0,4) (16,0) (32,0), lane: (0,8) (0,16) (0,32) (1,0) (2,0), warp: (4,0) (8,0)} -> 64x64">
!tile = !tileas.buffer<64x64xf16, #left>
!ring = !tileas.pipeline<2 x [<64x64xf16, #left>]>
!sums = tensor<64x64xf32, #sums>
!view = !tileaa.view<[?, 64], f16, strides = [64, 1]>
func.func @products(%v: !view, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 16416>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %ring = tileas.create_pipeline of 0 at 0 : !ring
  tileas.async_load %v[%c0, %c0] dims [0, 1] into %ring[%0, 0] by #copier : !view, !ring
  tileas.async_commit
  %end:3 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %0, %next = %1, %sum = %zero) -> (i32, i32, !sums) {
    tileas.async_wait %ring, 0 products 1 : !ring
    %a = tileas.stage %ring[%now, 0] : !ring -> <64x64xf16, #left>
    // expected-note@+1 {{the earlier access}}
    %d = tileas.mma <wgmma m64n64k16> %a, %a, %sum {running} : !tile, !tile, !sums
    // expected-error@+1 {{fills a stage that other threads may still read}}
    tileas.async_load %v[%i, %c0] dims [0, 1] into %ring[%next, 0] by #copier : !view, !ring
    tileas.async_commit
    scf.yield %next, %now, %d : i32, i32, !sums
  }
  %all = tileas.mma_wait %end#2 : !sums
  return
}

// -----

// Threads write a stage of which each reads what others wrote. The ring stands on the second side of a branch.
#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<1 x [<128xf32, #shared>]>
func.func @written(%x: tensor<128xf32, #x>, %if: i1) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 3120>} {
  %0 = arith.constant 0 : i32
  scf.if %if {
  } else {
    %ring = tileas.create_pipeline of 0 at 0 : !ring
    %a = tileas.stage %ring[%0, 0] : !ring -> <128xf32, #shared>
    tileas.write %x, %a : tensor<128xf32, #x>, <128xf32, #shared>
    tileas.async_wait %ring, 0 : !ring
    %y = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
    tileas.async_wait %ring, 0 : !ring
    // expected-note@+1 {{the earlier access}}
    tileas.write %x, %a : tensor<128xf32, #x>, <128xf32, #shared>
    // expected-error@+1 {{'tileas.read' op breaks the rule 'asynchronous-copy': reads a stage that other threads write: expected a tileas.async_wait between them}}
    %z = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
  }
  return
}

// -----

#x = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp: 64 128} -> 256">
#y = #tileas.layout<"{register: 128, lane: 1 2 4 8 16, warp: 32 64} -> 256">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128} -> 256">
!ring = !tileas.pipeline<1 x [<256xf32, #shared>]>
!view = !tileaa.view<[?, 256], f32, strides = [256, 1]>

// Each thread reads what it has copied itself, and fills its bytes again.
func.func @own_copies(%v: !view, %n: index, %more: i1) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 1040>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %ring = tileas.create_pipeline of 0 at 0 : !ring
  tileas.async_load %v[%c0, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
  tileas.async_commit
  scf.for %i = %c0 to %n step %c1 {
    tileas.async_wait %ring, 0 own : !ring
    %a = tileas.stage %ring[%0, 0] : !ring -> <256xf32, #shared>
    %t = tileas.read %a : <256xf32, #shared> -> tensor<256xf32, #x>
    tileas.async_load %v[%i, %c0] dims [1] into %ring[%0, 0] if %more by #x : !view, !ring
    tileas.async_commit
  }
  return
}

// -----

#x = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp: 64 128} -> 256">
#y = #tileas.layout<"{register: 128, lane: 1 2 4 8 16, warp: 32 64} -> 256">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128} -> 256">
!ring = !tileas.pipeline<1 x [<256xf32, #shared>]>
!view = !tileaa.view<[?, 256], f32, strides = [256, 1]>

// A wait for own copies says nothing of those of other threads.
func.func @copies_of_others(%v: !view, %n: index, %more: i1) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 1040>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %ring = tileas.create_pipeline of 0 at 0 : !ring
  // expected-note@+1 {{the earlier access}}
  tileas.async_load %v[%c0, %c0] dims [1] into %ring[%0, 0] by #x : !view, !ring
  tileas.async_commit
  scf.for %i = %c0 to %n step %c1 {
    tileas.async_wait %ring, 0 own : !ring
    %a = tileas.stage %ring[%0, 0] : !ring -> <256xf32, #shared>
    // expected-error@+1 {{reads elements of a stage that other threads have copied: expected a tileas.async_wait without `own`}}
    %t = tileas.read %a : <256xf32, #shared> -> tensor<256xf32, #y>
    // expected-error@+2 {{fills a stage that other threads may still read}}
    // expected-note@-2 {{the earlier access}}
    tileas.async_load %v[%i, %c0] dims [1] into %ring[%0, 0] if %more by #x : !view, !ring
    tileas.async_commit
  }
  return
}
