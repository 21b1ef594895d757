// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tileas-materialize-schedule))' | FileCheck %s

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!buffer = !tileas.buffer<128x128xbf16, #km>

// Two stages: the first step starts a product before the loop, and the last one's work stands behind it. What goes from
// one to the other, and what an iteration hands on, is carried.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[N:.*]]: i32
// CHECK: %[[NONE:.*]] = arith.constant dense<0.0
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
// CHECK: %[[R:.*]] = scf.if %[[SOME]]
// CHECK-NEXT: %[[S0:.*]] = tileas.mma
// CHECK-NEXT: %[[A0:.*]] = tileas.mma_wait %[[S0]]
// CHECK: %[[L:.*]]:2 = scf.for %{{.*}} = %c1_i32{{.*}} to %[[N]] step %c1_i32{{.*}} iter_args(%[[SUM:.*]] = %[[NONE]], %[[A:.*]] = %[[A0]])
// CHECK-NEXT: %[[S:.*]] = tileas.mma
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[SUM]], %[[A]]
// CHECK-NEXT: %[[NEXT:.*]] = tileas.mma_wait %[[S]]
// CHECK-NEXT: scf.yield %[[B]], %[[NEXT]]
// CHECK: %[[LAST:.*]] = arith.addf %[[L]]#0, %[[L]]#1
// CHECK: scf.yield %[[LAST]]
// CHECK: } else {
// CHECK: scf.yield %[[NONE]]
// CHECK: return %[[R]]
func.func @two(%n: i32) -> !tile attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %q = tileas.alloc : !buffer
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %blank) -> (!tile) : i32 {
    %s = tileas.mma <wgmma m64n128k16> %q, %q, %blank {running} : !buffer, !buffer, !tile
    %a = tileas.mma_wait %s : !tile
    %b = arith.addf %sum, %a : !tile
    scf.yield %b : !tile
  } {tileas.schedule = #tileas.schedule<"start product.0, work(i-1), wait product.0">}
  return %r : !tile
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!buffer = !tileas.buffer<128x128xbf16, #km>

// Three: with one iteration the loop as it was. A value of two steps ago is carried twice.
// CHECK-LABEL: func.func @three(
// CHECK: arith.cmpi uge, %{{.*}}, %c2_i32
// CHECK: scf.if
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}, %[[A2:.*]] = %{{.*}})
// CHECK-NEXT: %[[S:.*]] = tileas.mma
// CHECK-NEXT: %[[A:.*]] = tileas.mma_wait %[[S]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[SUM]], %[[A2]]
// CHECK-NEXT: scf.yield %[[B]], %[[A]], %[[A1]]
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: tileas.schedule
// CHECK: return
func.func @three(%n: i32) -> !tile attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %q = tileas.alloc : !buffer
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %blank) -> (!tile) : i32 {
    %s = tileas.mma <wgmma m64n128k16> %q, %q, %blank {running} : !buffer, !buffer, !tile
    %a = tileas.mma_wait %s : !tile
    %b = arith.addf %sum, %a : !tile
    scf.yield %b : !tile
  } {tileas.schedule = #tileas.schedule<"start product.0, wait product.0, work(i-2)">}
  return %r : !tile
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!buffer = !tileas.buffer<128x128xbf16, #km>

// Of one stage only the order changes. A wait leaves those running that were started behind its own.
// CHECK-LABEL: func.func @order(
// CHECK: scf.for
// CHECK-NEXT: %[[S:.*]] = tileas.mma
// CHECK-NEXT: %[[T:.*]] = tileas.mma
// CHECK-NEXT: %[[A:.*]] = tileas.mma_wait %[[S]] but 1
// CHECK-NEXT: %[[D:.*]] = tileas.mma_wait %[[T]] :
// CHECK-NEXT: arith.addf %[[A]], %[[D]]
func.func @order(%n: i32) -> !tile attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %q = tileas.alloc : !buffer
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %blank) -> (!tile) : i32 {
    %s = tileas.mma <wgmma m64n128k16> %q, %q, %blank {running} : !buffer, !buffer, !tile
    %a = tileas.mma_wait %s : !tile
    %t = tileas.mma <wgmma m64n128k16> %q, %q, %blank {running} : !buffer, !buffer, !tile
    %d = tileas.mma_wait %t : !tile
    %e = arith.addf %a, %d : !tile
    %b = arith.addf %sum, %e : !tile
    scf.yield %b : !tile
  } {tileas.schedule = #tileas.schedule<"start product.0, start product.1, wait product.0, work, wait product.1">}
  return %r : !tile
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!buffer = !tileas.buffer<128x128xbf16, #km>

// Parts by the numbers that the plan has for them.
// CHECK-LABEL: func.func @numbers(
// CHECK-NOT: tileas.number
// CHECK: return
func.func @numbers(%n: i32) -> !tile attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %q = tileas.alloc : !buffer
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %blank) -> (!tile) : i32 {
    %s = tileas.mma <wgmma m64n128k16> %q, %q, %blank {running, tileas.number = 3 : i64} : !buffer, !buffer, !tile
    %a = tileas.mma_wait %s : !tile
    %b = arith.addf %sum, %a : !tile
    scf.yield %b : !tile
  } {tileas.schedule = #tileas.schedule<"start product.3, work(i-1), wait product.3">}
  return %r : !tile
}

// -----

// What has no schedule stays.
// CHECK-LABEL: func.func @none(
// CHECK-NOT: scf.if
// CHECK: scf.for
func.func @none(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %s = arith.addi %sum, %i : i32
    scf.yield %s : i32
  }
  return %r : i32
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!buffer = !tileas.buffer<128x128xbf16, #km>

func.func @early(%n: i32) -> !tile attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %q = tileas.alloc : !buffer
  // expected-error-re@+1 {{has an impossible schedule: it has 'start product.1' at {{.*}} before 'wait product.0' at {{.*}}, for which it has to wait}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %blank) -> (!tile) : i32 {
    %s = tileas.mma <wgmma m64n128k16> %q, %q, %blank {running} : !buffer, !buffer, !tile
    %a = tileas.mma_wait %s : !tile
    %t = tileas.mma <wgmma m64n128k16> %q, %q, %a {running} : !buffer, !buffer, !tile
    %d = tileas.mma_wait %t : !tile
    %b = arith.addf %sum, %d : !tile
    scf.yield %b : !tile
  } {tileas.schedule = #tileas.schedule<"start product.0, start product.1, wait product.0, wait product.1">}
  return %r : !tile
}

// -----

#km = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)} -> 128x128">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (64,0)} -> 128x128">
!tile = tensor<128x128xf32, #acc>
!buffer = !tileas.buffer<128x128xbf16, #km>

func.func @before(%n: i32) -> !tile attributes {tileas.cta = #tileas.cta<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %blank = arith.constant dense<0.0> : !tile
  %q = tileas.alloc : !buffer
  // expected-error-re@+1 {{has an impossible schedule: it has 'start product.0' at {{.*}} before 'arith.addf' at {{.*}} of the iteration before, for which it has to wait}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %blank) -> (!tile) : i32 {
    %s = tileas.mma <wgmma m64n128k16> %q, %q, %sum {running} : !buffer, !buffer, !tile
    %a = tileas.mma_wait %s : !tile
    %b = arith.addf %a, %a : !tile
    scf.yield %b : !tile
  } {tileas.schedule = #tileas.schedule<"start product.0, wait product.0, work(i-2)">}
  return %r : !tile
}

// -----

// Stores keep their places.
func.func @effects(%n: i32, %m: memref<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{has a schedule, but effects that cannot change places}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    memref.store %i, %m[] : memref<i32>
  } {tileas.schedule = #tileas.schedule<"work">}
  return
}
