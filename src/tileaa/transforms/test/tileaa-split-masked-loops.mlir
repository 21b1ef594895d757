// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-split-masked-loops))' | FileCheck %s

!t = tensor<64x64xf16>
!s = tensor<64x64xf32>

// The branch works in the last iterations only.
// CHECK-LABEL: func @late(
// CHECK-SAME: %[[N:.*]]: i32, %[[FIRST:.*]]: i32,
// CHECK: %[[LEAST:.*]] = arith.minsi %[[FIRST]], %[[N]]
// CHECK: %[[MIDDLE:.*]] = arith.maxsi %[[LEAST]], %[[ZERO:.*]] : i32
// CHECK: %[[HALF:.*]] = scf.for %{{.*}} = %[[ZERO]] to %[[MIDDLE]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<64x64xf32>) : i32 {
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

// With fewer rows a product is by mma.sync, which runs while nothing else does.
// CHECK-LABEL: func @few_rows(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: return
func.func @few_rows(%n: i32, %first: i32, %a: tensor<32x32xf16>, %mask: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i32 {
    %p = tileaa.mma %a, %a, %zeros : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %few_rows = arith.cmpi sge, %i, %first : i32
    %q = scf.if %few_rows -> (tensor<32x32xf32>) {
      %masked = arith.addf %p, %mask : tensor<32x32xf32>
      scf.yield %masked : tensor<32x32xf32>
    } else {
      scf.yield %p : tensor<32x32xf32>
    }
    %narrow = arith.truncf %q : tensor<32x32xf32> to tensor<32x32xf16>
    %next = tileaa.mma %narrow, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
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
