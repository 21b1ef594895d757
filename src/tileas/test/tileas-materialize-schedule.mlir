// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tileas-materialize-schedule))' | FileCheck %s

// Two stages: the first turn's first stage stands before the loop, the last one's second stage behind it. What goes from
// one to the other, and what an iteration hands on, is carried.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[N:.*]]: i32
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
// CHECK: %[[R:.*]] = scf.if %[[SOME]] -> (i32) {
// CHECK:   %[[A0:.*]] = arith.addi %c0_i32, %c7_i32
// CHECK:   %[[L:.*]]:2 = scf.for %[[I:.*]] = %c1_i32{{.*}} to %[[N]] step %c1_i32{{.*}} iter_args(%[[A:.*]] = %[[A0]], %[[SUM:.*]] = %c0_i32{{.*}})
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]], %c7_i32
// CHECK-NEXT: %[[B:.*]] = arith.muli %[[A]], %[[A]]
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[SUM]], %[[B]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[S]]
// CHECK:   %[[LB:.*]] = arith.muli %[[L]]#0, %[[L]]#0
// CHECK:   %[[LS:.*]] = arith.addi %[[L]]#1, %[[LB]]
// CHECK:   scf.yield %[[LS]]
// CHECK: } else {
// CHECK:   scf.yield %c0_i32
// CHECK: return %[[R]]
func.func @two(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %a = arith.addi %i, %c7 : i32
    %b = arith.muli %a, %a : i32
    %s = arith.addi %sum, %b : i32
    scf.yield %s : i32
  } {tileas.schedule = #tileas.schedule<"0 1-2@1">}
  return %r : i32
}

// -----

// Three: with one iteration the loop as it was. A value of two turns ago is carried twice.
// CHECK-LABEL: func.func @three(
// CHECK: arith.cmpi uge, %{{.*}}, %c2_i32
// CHECK: scf.if
// CHECK:   scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[A1:.*]] = %{{.*}}, %[[A2:.*]] = %{{.*}})
// CHECK-NEXT: %[[A:.*]] = arith.addi
// CHECK-NEXT: %[[S:.*]] = arith.subi %{{.*}}, %[[A2]]
// CHECK-NEXT: scf.yield %[[S]], %[[A]], %[[A1]]
// CHECK:   arith.subi
// CHECK:   arith.subi
// CHECK: } else {
// CHECK:   scf.for
// CHECK-NOT: tileas.schedule
// CHECK: return
func.func @three(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %a = arith.addi %i, %c1 : i32
    %s = arith.subi %sum, %a : i32
    scf.yield %s : i32
  } {tileas.schedule = #tileas.schedule<"0 1@2">}
  return %r : i32
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

func.func @early(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{schedule '1 0': operation 1 (arith.muli) comes before operation 0 (arith.addi), which it has to wait for}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %a = arith.addi %sum, %i : i32
    %b = arith.muli %a, %a : i32
    scf.yield %b : i32
  } {tileas.schedule = #tileas.schedule<"1 0">}
  return %r : i32
}

// -----

func.func @before(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{schedule '0 1@1': operation 0 (arith.addi) comes before operation 1 (arith.muli) of the iteration before, which it has to wait for}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %a = arith.addi %sum, %i : i32
    %b = arith.muli %a, %a : i32
    scf.yield %b : i32
  } {tileas.schedule = #tileas.schedule<"0 1@1">}
  return %r : i32
}

// -----

func.func @words(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = arith.addi %n, %i : i32
  // expected-error@+1 {{schedule '0-x': found '0-x', expected numbers of operations as in 3, 3-5 or 3-5@1}}
  } {tileas.schedule = #tileas.schedule<"0-x">}
  return
}

// -----

func.func @twice(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{schedule '0 0': operation 0 is named twice}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = arith.addi %n, %i : i32
  } {tileas.schedule = #tileas.schedule<"0 0">}
  return
}

// -----

func.func @missing(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{schedule '0': operation 1 of the loop's 2 is not named}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = arith.addi %n, %i : i32
    %b = arith.addi %a, %i : i32
  } {tileas.schedule = #tileas.schedule<"0">}
  return
}

// -----

func.func @many(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{schedule '0-1': there is no operation 1, the loop has 1, from 0}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = arith.addi %n, %i : i32
  } {tileas.schedule = #tileas.schedule<"0-1">}
  return
}

// -----

// Stores keep their places.
func.func @effects(%n: i32, %m: memref<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{has a schedule, but effects that cannot change places}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    memref.store %i, %m[] : memref<i32>
  } {tileas.schedule = #tileas.schedule<"0">}
  return
}
