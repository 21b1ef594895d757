// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-unroll-register-loops))' | FileCheck %s

#x = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (0,8) (1,0) (2,0), warp: (4,0)} -> 16x16">
#rows = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (0,8) (1,0) (2,0), warp: (4,0)} -> 8x16">
#columns = #tileas.layout<"{register: (8,0), lane: (0,1) (0,2) (0,4) (1,0) (2,0), warp: (4,0)} -> 16x8">

// Rows from 0 and from 8 on are in registers of their own.
// CHECK-LABEL: func.func @extract(
// CHECK-NOT: scf.for
// CHECK: tileaa.extract %arg0[%c0, %c0]
// CHECK: tileaa.extract %arg0[%c8, %c0]
// CHECK-NOT: scf.for
// CHECK: return
func.func @extract(%x: tensor<16x16xf32, #x>) -> tensor<8x16xf32, #rows> {
  %zero = arith.constant dense<0.0> : tensor<8x16xf32, #rows>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %0 to %2 step %1 iter_args(%acc = %zero) -> (tensor<8x16xf32, #rows>) : i32 {
    %j = arith.index_cast %i : i32 to index
    %k = arith.minui %j, %c1 : index
    %o = arith.muli %k, %c8 : index
    %p = tileaa.extract %x[%o, %c0] : tensor<16x16xf32, #x> -> tensor<8x16xf32, #rows>
    %s = arith.addf %acc, %p : tensor<8x16xf32, #rows>
    scf.yield %s : tensor<8x16xf32, #rows>
  }
  return %r : tensor<8x16xf32, #rows>
}

// CHECK-LABEL: func.func @insert(
// CHECK: %[[HALF:.*]] = tileaa.insert %arg1 into %arg0[%c0, %c0]
// CHECK: tileaa.insert %arg1 into %[[HALF]][%c8, %c0]
func.func @insert(%x: tensor<16x16xf32, #x>, %p: tensor<8x16xf32, #rows>) -> tensor<16x16xf32, #x> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c8 iter_args(%y = %x) -> (tensor<16x16xf32, #x>) {
    %s = tileaa.insert %p into %y[%i, %c0] : tensor<8x16xf32, #rows>, tensor<16x16xf32, #x> -> tensor<16x16xf32, #x>
    scf.yield %s : tensor<16x16xf32, #x>
  }
  return %r : tensor<16x16xf32, #x>
}

// Columns are of other lanes; how often the loop runs may not be known; which part it is may be somebody else's to say.
// CHECK-LABEL: func.func @left_alone(
// CHECK-COUNT-3: scf.for
func.func @left_alone(%x: tensor<16x16xf32, #x>, %n: index, %m: index) -> (tensor<16x8xf32, #columns>, tensor<8x16xf32, #rows>, tensor<8x16xf32, #rows>) {
  %none = arith.constant dense<0.0> : tensor<16x8xf32, #columns>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32, #rows>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %a = scf.for %i = %c0 to %c16 step %c8 iter_args(%acc = %none) -> (tensor<16x8xf32, #columns>) {
    %p = tileaa.extract %x[%c0, %i] : tensor<16x16xf32, #x> -> tensor<16x8xf32, #columns>
    %s = arith.addf %acc, %p : tensor<16x8xf32, #columns>
    scf.yield %s : tensor<16x8xf32, #columns>
  }
  %b = scf.for %i = %c0 to %n step %c8 iter_args(%acc = %zero) -> (tensor<8x16xf32, #rows>) {
    %p = tileaa.extract %x[%i, %c0] : tensor<16x16xf32, #x> -> tensor<8x16xf32, #rows>
    %s = arith.addf %acc, %p : tensor<8x16xf32, #rows>
    scf.yield %s : tensor<8x16xf32, #rows>
  }
  %c = scf.for %i = %c0 to %c16 step %c8 iter_args(%acc = %zero) -> (tensor<8x16xf32, #rows>) {
    %o = arith.muli %i, %m : index
    %p = tileaa.extract %x[%o, %c0] : tensor<16x16xf32, #x> -> tensor<8x16xf32, #rows>
    %s = arith.addf %acc, %p : tensor<8x16xf32, #rows>
    scf.yield %s : tensor<8x16xf32, #rows>
  }
  return %a, %b, %c : tensor<16x8xf32, #columns>, tensor<8x16xf32, #rows>, tensor<8x16xf32, #rows>
}
