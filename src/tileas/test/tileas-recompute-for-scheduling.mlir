// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-recompute-for-scheduling))' | FileCheck %s

#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
#left = #tileas.layout<"{register: (0,1) (8,0) (0,8), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x16">
#right = #tileas.layout<"{register: (1,0) (8,0) (0,8) (0,16) (0,32), lane: (2,0) (4,0) (0,1) (0,2) (0,4), warp: (0,0) (0,0)} -> 16x64">
#line = #tileas.layout<"{register: 1 8 16 32, lane: 2 4 0 0 0, warp: 0 0} -> 64">
#row = #tileas.layout<"{register: (0,1) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 1x64">
#few = #tileas.layout<"{register: 8, lane: 0 0 1 2 4, warp: 16 32} -> 64">
#column = #tileas.layout<"{register: (8,0), lane: (0,0) (0,0) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x1">
!sums = tensor<64x64xf32, #sums>
!left = tensor<64x16xf16, #left>
!right = tensor<16x64xf16, #right>
!addresses = tensor<64x64xi64, #sums>
!mask = tensor<64x64xi1, #sums>

// Addresses and masks of a tile that is loaded before the loop and stored behind it.
// CHECK-LABEL: func.func @in_place(
// CHECK: tileaa.iota : tensor<64xi64
// CHECK: tileaa.load_ptr
// CHECK: %[[SUMS:.*]] = scf.for
// CHECK: }
// CHECK: %[[BASE:.*]] = tileaa.broadcast %arg0
// CHECK: %[[AGAIN:.*]] = tileaa.iota rematerialized : tensor<64xi64
// CHECK: %[[ROW:.*]] = tileaa.reshape %[[AGAIN]]
// CHECK: %[[ALL:.*]] = tileaa.broadcast %[[ROW]]
// CHECK: %[[TO:.*]] = arith.addi %[[BASE]], %[[ALL]]
// CHECK: %[[LIMIT:.*]] = tileaa.broadcast %arg1
// CHECK: %[[WHETHER:.*]] = arith.cmpi slt, %[[ALL]], %[[LIMIT]]
// CHECK: tileaa.store_ptr %[[TO]], %[[SUMS]] mask %[[WHETHER]]
func.func @in_place(%p: i64, %n: i64, %k: i32, %a: !left, %b: !right) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %t = tileaa.make_token
  %i = tileaa.iota : tensor<64xi64, #line>
  %row = tileaa.reshape %i : tensor<64xi64, #line> -> tensor<1x64xi64, #row>
  %all = tileaa.broadcast %row : tensor<1x64xi64, #row> -> !addresses
  %base = tileaa.broadcast %p : i64 -> !addresses
  %to = arith.addi %base, %all : !addresses
  %limit = tileaa.broadcast %n : i64 -> !addresses
  %whether = arith.cmpi slt, %all, %limit : !addresses
  %zero = arith.constant dense<0.0> : !sums
  %x, %u = tileaa.load_ptr %to mask %whether padding %zero : !sums after %t : !addresses, !mask -> !sums
  %y = scf.for %j = %0 to %k step %1 iter_args(%acc = %x) -> (!sums) : i32 {
    %d = tileas.mma <mma_sync m16n8k16> %a, %b, %acc : !left, !right, !sums
    scf.yield %d : !sums
  }
  %v = tileaa.store_ptr %to, %y mask %whether after %u : !addresses, !sums, !mask
  return
}

// A loop over blocks: what it does not change was computed before it, and nothing of that is left there.
// CHECK-LABEL: func.func @persistent(
// CHECK-NOT: iota
// CHECK: scf.for
// CHECK: scf.for
// CHECK: }
// CHECK: tileaa.iota rematerialized
// CHECK: tileaa.store_ptr
func.func @persistent(%p: i64, %k: i32, %a: !left, %b: !right) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %t = tileaa.make_token
  %true = arith.constant dense<true> : !mask
  %zero = arith.constant dense<0.0> : !sums
  %i = tileaa.iota : tensor<64xi64, #line>
  %row = tileaa.reshape %i : tensor<64xi64, #line> -> tensor<1x64xi64, #row>
  %all = tileaa.broadcast %row : tensor<1x64xi64, #row> -> !addresses
  scf.for %block = %0 to %k step %1 : i32 {
    %y = scf.for %j = %0 to %k step %1 iter_args(%acc = %zero) -> (!sums) : i32 {
      %d = tileas.mma <mma_sync m16n8k16> %a, %b, %acc : !left, !right, !sums
      scf.yield %d : !sums
    }
    %base = tileaa.broadcast %p : i64 -> !addresses
    %to = arith.addi %base, %all : !addresses
    %v = tileaa.store_ptr %to, %y mask %true after %t : !addresses, !sums, !mask
  }
  return
}

// A mask that the loop uses too, what was loaded, and a tile of two registers stay what they are; so does everything
// about a loop that does not multiply.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: rematerialized
// CHECK: return
func.func @left_alone(%p: i64, %k: i32, %a: !left, %b: !right, %q: !addresses) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %t = tileaa.make_token
  %true = arith.constant dense<true> : !mask
  %zero = arith.constant dense<0.0> : !sums
  %i = tileaa.iota : tensor<64xi64, #line>
  %row = tileaa.reshape %i : tensor<64xi64, #line> -> tensor<1x64xi64, #row>
  %all = tileaa.broadcast %row : tensor<1x64xi64, #row> -> !addresses
  %base = tileaa.broadcast %p : i64 -> !addresses
  %used = arith.addi %base, %all : !addresses
  %loaded = arith.addi %q, %used : !addresses
  %f = tileaa.iota : tensor<64xi32, #few>
  %column = tileaa.reshape %f : tensor<64xi32, #few> -> tensor<64x1xi32, #column>
  %repeated = tileaa.broadcast %column : tensor<64x1xi32, #column> -> tensor<64x64xi32, #sums>
  %y = scf.for %j = %0 to %k step %1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %x, %u = tileaa.load_ptr %used mask %true padding %zero : !sums after %t : !addresses, !mask -> !sums
    %more = arith.addf %acc, %x : !sums
    %d = tileas.mma <mma_sync m16n8k16> %a, %b, %more : !left, !right, !sums
    scf.yield %d : !sums
  }
  %v = tileaa.store_ptr %used, %y mask %true after %t : !addresses, !sums, !mask
  %w = tileaa.store_ptr %loaded, %y mask %true after %v : !addresses, !sums, !mask
  %limit = arith.constant dense<32> : tensor<64x64xi32, #sums>
  %mask = arith.cmpi slt, %repeated, %limit : tensor<64x64xi32, #sums>
  %s = tileaa.store_ptr %used, %y mask %mask after %w : !addresses, !sums, !mask
  %z = scf.for %j = %0 to %k step %1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %d = arith.addf %acc, %acc : !sums
    scf.yield %d : !sums
  }
  %r = tileaa.store_ptr %used, %z mask %true after %s : !addresses, !sums, !mask
  return
}
