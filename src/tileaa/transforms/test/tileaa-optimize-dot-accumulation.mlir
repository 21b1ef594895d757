// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-optimize-dot-accumulation))' | FileCheck %s

// What the loop carries is what its product begins with.
// CHECK-LABEL: func @sums
func.func @sums(%n: index, %a: tensor<16x16xf16>, %b: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> tensor<16x16xf32> {
    // CHECK-NEXT: %[[SUM:.*]] = tileaa.mma %arg1, %arg2, %[[ACC]] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    // CHECK-NEXT: scf.yield %[[SUM]]
    %p = tileaa.mma %a, %b, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %sum = arith.addf %acc, %p : tensor<16x16xf32>
    scf.yield %sum : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// In either order, of integers too, with all that the product was told; two products one after the other.
// CHECK-LABEL: func @chain
func.func @chain(%n: index, %a: tensor<16x32xi8>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0> : tensor<16x16xi32>
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> tensor<16x16xi32> {
    // CHECK-NEXT: %[[P:.*]] = tileaa.mma %arg1, %arg2, %[[ACC]] {unsignedLhs}
    // CHECK-NEXT: %[[Q:.*]] = tileaa.mma %arg1, %arg2, %[[P]] {unsignedRhs}
    // CHECK-NEXT: scf.yield %[[Q]]
    %p = tileaa.mma %a, %b, %zeros {unsignedLhs} : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xi32>
    %q = tileaa.mma %a, %b, %zeros {unsignedRhs} : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xi32>
    %first = arith.addi %p, %acc : tensor<16x16xi32>
    %sum = arith.addi %first, %q : tensor<16x16xi32>
    scf.yield %sum : tensor<16x16xi32>
  }
  return %r : tensor<16x16xi32>
}

// Sums that are scaled, as attention's, even where that comes behind the product.
// CHECK-LABEL: func @scaled
func.func @scaled(%n: index, %a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %scale: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> tensor<16x16xf32> {
    // CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[ACC]], %arg3
    // CHECK-NEXT: tileaa.mma %arg1, %arg2, %[[SCALED]]
    // CHECK-NEXT: scf.yield
    %p = tileaa.mma %a, %b, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %scaled = arith.mulf %acc, %scale : tensor<16x16xf32>
    %sum = arith.addf %p, %scaled : tensor<16x16xf32>
    scf.yield %sum : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Products of blocks that share a scale.
// CHECK-LABEL: func @blocks
func.func @blocks(%n: index, %a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %sa: tensor<16x1xi8>, %sb: tensor<1x16xi8>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> tensor<16x16xf32> {
    // CHECK-NEXT: tileaa.mma_scaled %arg1, %arg2, %[[ACC]] scaled
    // CHECK-NEXT: scf.yield
    %p = tileaa.mma_scaled %a, %b, %zeros scaled by %sa, %sb as f8E4M3FN, f8E8M0FNU : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xf32>, tensor<16x1xi8>, tensor<1x16xi8>
    %sum = arith.addf %acc, %p : tensor<16x16xf32>
    scf.yield %sum : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A bias is not the loop's.
// CHECK-LABEL: func @bias
func.func @bias(%n: index, %a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %bias: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%most = %zeros) -> tensor<16x16xf32> {
    // CHECK: tileaa.mma %arg1, %arg2, %cst
    // CHECK-NEXT: arith.addf
    %p = tileaa.mma %a, %b, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %sum = arith.addf %p, %bias : tensor<16x16xf32>
    %next = arith.maximumf %most, %sum : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Outside of loops sums begin with zeros.
// CHECK-LABEL: func @outside
func.func @outside(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: arith.addf
  %p = tileaa.mma %a, %b, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %sum = arith.addf %p, %x : tensor<16x16xf32>
  return %sum : tensor<16x16xf32>
}

// Products that are used twice, that begin with something, that were computed before the loop, that may lose bits; and
// sums that are rounded in another way.
// CHECK-LABEL: func @others
// CHECK-COUNT-4: arith.addf
// CHECK: tileaa.float add
// CHECK-NOT: mma
func.func @others(%n: index, %a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x32xi8>, %d: tensor<32x16xi8>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %before = tileaa.mma %a, %b, %zeros : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %last = %zeros) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = tileaa.mma %a, %b, %zeros : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
    %q = tileaa.mma %a, %b, %ones : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
    %s = tileaa.mma %c, %d, %zeros {format = f8E4M3FN, fastAcc} : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xf32>
    %t = tileaa.mma %a, %b, %zeros : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
    %0 = arith.addf %acc, %p : tensor<16x16xf32>
    %1 = arith.addf %0, %q : tensor<16x16xf32>
    %2 = arith.addf %1, %s : tensor<16x16xf32>
    %3 = arith.addf %2, %before : tensor<16x16xf32>
    %4 = tileaa.float add %3, %t rounding zero : tensor<16x16xf32>
    scf.yield %4, %p : tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
}
