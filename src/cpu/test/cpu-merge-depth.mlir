// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-merge-depth --verify-each | FileCheck %s

// CHECK-LABEL: func.func @merges
func.func @merges(%n: index, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<depth = 128, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x64xf32>
  %b = memref.alloc() : memref<2x64x64xf32>
  // CHECK-DAG: memref.alloc() {cpu.steps = 2 : i64} : memref<64x128xf32>
  // CHECK-DAG: memref.alloc() {cpu.steps = 2 : i64} : memref<2x128x64xf32>
  // CHECK: scf.for
  // CHECK: arith.remui
  // CHECK: memref.subview
  // CHECK: scf.if
  // CHECK: cpu.mma {{.*}} memref<64x128xf32>, memref<2x128x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%a : memref<64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%b : memref<2x64x64xf32>)
    cpu.mma %a, %b into %acc bounds (%c64, %c128, %c64) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  return
}

// The loop rescales the accumulator in between: left alone.
// CHECK-LABEL: func.func @leaves_alone
// CHECK-NOT: scf.if
// CHECK: return
func.func @leaves_alone(%n: index, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<depth = 128, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x64xf32>
  %b = memref.alloc() : memref<2x64x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%a : memref<64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%b : memref<2x64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%acc : memref<64x128xf32>)
    cpu.mma %a, %b into %acc bounds (%c64, %c128, %c64) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  return
}

// Two products of one left operand have one wide buffer of it.
// CHECK-LABEL: func.func @shares_an_operand
// CHECK: %[[LEFT:.*]] = memref.alloc() {cpu.steps = 2 : i64} : memref<64x128xf32>
// CHECK-NOT: memref.alloc()
// CHECK: scf.for
// CHECK: scf.if
// CHECK: cpu.mma %[[LEFT]], {{.*}} memref<64x128xf32>, memref<2x128x64xf32>
// CHECK: scf.if
// CHECK: cpu.mma %[[LEFT]], {{.*}} memref<64x128xf32>, memref<2x128x64xf32>
func.func @shares_an_operand(%n: index, %first: memref<64x128xf32>, %second: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<depth = 128, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x64xf32>
  %b = memref.alloc() : memref<2x64x64xf32>
  %c = memref.alloc() : memref<2x64x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%a : memref<64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%b : memref<2x64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%c : memref<2x64x64xf32>)
    cpu.mma %a, %b into %first bounds (%c64, %c128, %c64) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
    cpu.mma %a, %c into %second bounds (%c64, %c128, %c64) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  return
}

// The second product's accumulator is rescaled: the operand that both have stays as it is.
// CHECK-LABEL: func.func @leaves_a_shared_operand_alone
// CHECK-NOT: scf.if
// CHECK: return
func.func @leaves_a_shared_operand_alone(%n: index, %first: memref<64x128xf32>, %second: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<depth = 128, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x64xf32>
  %b = memref.alloc() : memref<2x64x64xf32>
  %c = memref.alloc() : memref<2x64x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%a : memref<64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%b : memref<2x64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%c : memref<2x64x64xf32>)
    linalg.fill ins(%zero : f32) outs(%second : memref<64x128xf32>)
    cpu.mma %a, %b into %first bounds (%c64, %c128, %c64) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
    cpu.mma %a, %c into %second bounds (%c64, %c128, %c64) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  return
}
