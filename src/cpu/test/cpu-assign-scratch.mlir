// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --cpu-assign-scratch --verify-diagnostics | FileCheck %s

// Buffers whose lives do not overlap share a place: 64 floats, twice, and the room at the end.
// CHECK-LABEL: func.func @shares
// CHECK-SAME: cpu.scratch_bytes = 512
func.func @shares() attributes {tileaa.kernel} {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<64xf32>)
  // CHECK-NOT: memref.alloc
  return
}

// -----

func.func @dynamic(%n: index) attributes {tileaa.kernel} {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'memref.alloc' op has type 'memref<?xf32>', expected a static shape and plain layout}}
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  return
}

// -----

// Memory of the block, for all of its life: 64 bytes, and 192 more so that a multiple of 256 is among them.
// CHECK-LABEL: func.func @own
// CHECK-SAME: %arg1: i1, %[[SCRATCH:[^ ]*]]: i64) attributes {{.*}}cpu.scratch_bytes = 576
// CHECK: %[[UP:.*]] = arith.constant 255 : i64
// CHECK: %[[MASK:.*]] = arith.constant -256 : i64
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %[[UP]]
// CHECK: arith.andi %[[SUM]], %[[MASK]]
// CHECK: arith.addi %[[SCRATCH]], %c256
// CHECK-NOT: tileaa.alloca
func.func @own(%value: f32, %all: i1) attributes {tileaa.kernel} {
  %a = tileaa.alloca 4 aligned 4
  %b = tileaa.alloca 64 aligned 256
  cpu.ptr_store %value, %a, %all : f32, i64, i1
  cpu.ptr_store %value, %b, %all : f32, i64, i1
  return
}

// -----

func.func @too_much() attributes {tileaa.kernel} {
  // expected-error @below {{found an alloca of 4611686018427387904 bytes aligned to 4, expected at most 1099511627776 bytes in all}}
  %a = tileaa.alloca 4611686018427387904 aligned 4
  return
}
