// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-legalize-atomics))' | FileCheck %s

#whole = #tileas.layout<"{register: 32, lane: 1 2 4 8 16} -> 64">
#copies = #tileas.layout<"{lane: 1 2 4 8 0} -> 16">

// CHECK-LABEL: func.func @scalars
func.func @scalars(%p: i64, %x: i32) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: %[[OLD:.*]], %{{.*}} = tileaa.atomic_rmw addi relaxed %arg0
  // CHECK-NEXT: %[[ONE:.*]] = tileaa.reshape %[[OLD]] : i32 -> tensor<1xi32
  // CHECK-NEXT: %[[BUFFER:.*]] = tileas.alloc
  // CHECK-NEXT: tileas.write %[[ONE]], %[[BUFFER]]
  // CHECK-NEXT: %[[READ:.*]] = tileas.read %[[BUFFER]]
  // CHECK-NEXT: %[[ALL:.*]] = tileaa.reshape %[[READ]]
  // CHECK-NEXT: tileaa.store_ptr relaxed %arg0, %[[ALL]]
  %old, %t0 = tileaa.atomic_rmw addi relaxed %p, %x : i64, i32,
  %t1 = tileaa.store_ptr relaxed %p, %old after %t0 : i64, i32,
  // A result without use, and a plain load, which all threads may do.
  // CHECK-NEXT: atomic_rmw
  // CHECK-NEXT: load_ptr
  // CHECK-NEXT: load_ptr acquire
  // CHECK-NEXT: reshape
  %unused, %t2 = tileaa.atomic_rmw addi relaxed %p, %x after %t1 : i64, i32,
  %plain, %t3 = tileaa.load_ptr %p after %t2 : i64, -> i32
  %flag, %t4 = tileaa.load_ptr acquire %p after %t3 : i64, -> i32
  %sum = arith.addi %plain, %flag : i32
  %t5 = tileaa.store_ptr %p, %sum after %t4 : i64, i32,
  return
}

// CHECK-LABEL: func.func @tiles
func.func @tiles(%p: tensor<64xi64, #whole>, %x: tensor<64xi32, #whole>, %q: tensor<16xi64, #copies>,
                 %y: tensor<16xi32, #copies>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // CHECK: atomic_cas
  // CHECK-NEXT: store_ptr
  %old, %t0 = tileaa.atomic_cas relaxed %p, %x, %x : tensor<64xi64, #whole>, tensor<64xi32, #whole>,
  %t1 = tileaa.store_ptr %p, %old : tensor<64xi64, #whole>, tensor<64xi32, #whole>,
  // CHECK-NEXT: %[[OLD:.*]], %{{.*}} = tileaa.atomic_rmw
  // CHECK-NEXT: tileas.alloc
  // CHECK-NEXT: tileas.write %[[OLD]]
  // CHECK-NEXT: %[[ALL:.*]] = tileas.read
  // CHECK-NEXT: tileaa.store_ptr %{{.*}}, %[[ALL]]
  %small, %t2 = tileaa.atomic_rmw addi relaxed %q, %y : tensor<16xi64, #copies>, tensor<16xi32, #copies>,
  %t3 = tileaa.store_ptr %q, %small : tensor<16xi64, #copies>, tensor<16xi32, #copies>,
  return
}
