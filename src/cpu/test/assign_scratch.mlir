// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --cpu-assign-scratch --verify-diagnostics | FileCheck %s

// Buffers whose lives do not overlap share a place: 64 floats, twice, and the room at the end.
// CHECK-LABEL: func.func @shares
// CHECK-SAME: tilewright.scratch_bytes = 512
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
