// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-split-masked-loops))' | FileCheck %s

!t = tensor<16x16xf16>
!s = tensor<16x16xf32>

// The branch works in the last iterations only.
// CHECK-LABEL: func @late(
// CHECK-SAME: %[[N:.*]]: i32, %[[FIRST:.*]]: i32,
// CHECK: %[[LEAST:.*]] = arith.minsi %[[FIRST]], %[[N]]
// CHECK: %[[MIDDLE:.*]] = arith.maxsi %[[LEAST]], %[[ZERO:.*]] : i32
// CHECK: %[[HALF:.*]] = scf.for %{{.*}} = %[[ZERO]] to %[[MIDDLE]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<16x16xf32>) : i32 {
// CHECK-NOT: scf.if
// CHECK-NOT: arith.addf
// CHECK: scf.yield
// CHECK: %[[ALL:.*]] = scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %{{.*}} iter_args(%{{.*}} = %[[HALF]])
// CHECK-NOT: scf.if
// CHECK: arith.addf
// CHECK: return %[[ALL]]
func.func @late(%n: i32, %first: i32, %a: !t, %mask: !s) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!s) : i32 {
    %p = tileaa.mma %a, %a, %zeros : !t, !t, !s
    %late = arith.cmpi sge, %i, %first : i32
    %q = scf.if %late -> (!s) {
      %masked = arith.addf %p, %mask : !s
      scf.yield %masked : !s
    } else {
      scf.yield %p : !s
    }
    %narrow = arith.truncf %q : !s to !t
    %next = tileaa.mma %narrow, %a, %acc : !t, !t, !s
    scf.yield %next : !s
  }
  return %r : !s
}

// Or the first ones: the second loop would be the long one.
// CHECK-LABEL: func @early(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: return
func.func @early(%n: i32, %first: i32, %a: !t, %mask: !s) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!s) : i32 {
    %p = tileaa.mma %a, %a, %zeros : !t, !t, !s
    %early = arith.cmpi slt, %i, %first : i32
    %q = scf.if %early -> (!s) {
      %masked = arith.addf %p, %mask : !s
      scf.yield %masked : !s
    } else {
      scf.yield %p : !s
    }
    %narrow = arith.truncf %q : !s to !t
    %next = tileaa.mma %narrow, %a, %acc : !t, !t, !s
    scf.yield %next : !s
  }
  return %r : !s
}

// A loop of one product overlaps with nothing, and a constant bound is not behind the most iterations.
// CHECK-LABEL: func @one_product(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: return
func.func @one_product(%n: i32, %first: i32, %a: !t, %mask: !s) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!s) : i32 {
    %p = tileaa.mma %a, %a, %acc : !t, !t, !s
    %late = arith.cmpi sge, %i, %first : i32
    %q = scf.if %late -> (!s) {
      %masked = arith.addf %p, %mask : !s
      scf.yield %masked : !s
    } else {
      scf.yield %p : !s
    }
    scf.yield %q : !s
  }
  return %r : !s
}

// CHECK-LABEL: func @constant_bound(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: return
func.func @constant_bound(%n: i32, %a: !t, %mask: !s) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!s) : i32 {
    %p = tileaa.mma %a, %a, %zeros : !t, !t, !s
    %late = arith.cmpi sge, %i, %c1 : i32
    %q = scf.if %late -> (!s) {
      %masked = arith.addf %p, %mask : !s
      scf.yield %masked : !s
    } else {
      scf.yield %p : !s
    }
    %narrow = arith.truncf %q : !s to !t
    %next = tileaa.mma %narrow, %a, %acc : !t, !t, !s
    scf.yield %next : !s
  }
  return %r : !s
}
