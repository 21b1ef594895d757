// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

// Four tiles of sums stay in registers while two tiles of each operand are loaded in every step.
// CHECK-LABEL: func.func @square
// CHECK-COUNT-4: amx.tile_load {{.*}} into !amx.tile<16x16xf32>
// CHECK: scf.for
// CHECK-COUNT-2: amx.tile_load {{.*}} into !amx.tile<16x32xbf16>
// CHECK: amx.tile_mulf
// CHECK: amx.tile_load {{.*}} into !amx.tile<16x32xbf16>
// CHECK: amx.tile_mulf
// CHECK: amx.tile_load {{.*}} into !amx.tile<16x32xbf16>
// CHECK-COUNT-2: amx.tile_mulf
// CHECK-COUNT-4: amx.tile_store
func.func @square(%a: memref<64x64xbf16>, %b: memref<4x32x64xbf16>, %c: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  cpu.mma %a, %b into %c : memref<64x64xbf16>, memref<4x32x64xbf16>, memref<64x128xf32>
  return
}

// Few rows, few columns and a short depth have smaller tiles; without old sums the registers begin at zero.
// CHECK-LABEL: func.func @small
// CHECK: amx.tile_zero : !amx.tile<8x16xf32>
// CHECK: amx.tile_load {{.*}} into !amx.tile<8x16xbf16>
// CHECK: amx.tile_load {{.*}} into !amx.tile<8x32xbf16>
// CHECK: amx.tile_mulf {{.*}} : !amx.tile<8x16xbf16>, !amx.tile<8x32xbf16>, !amx.tile<8x16xf32>
// CHECK-COUNT-1: amx.tile_store
// CHECK-NOT: amx.tile_store
func.func @small(%a: memref<8x16xbf16>, %b: memref<1x8x32xbf16>, %c: memref<8x16xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  cpu.mma %a, %b into %c {zeroInit} : memref<8x16xbf16>, memref<1x8x32xbf16>, memref<8x16xf32>
  return
}

// A bound along K is rounded up to whole steps; what lies between is zero padding.
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: %[[DEPTH:[a-z0-9]+]]: index)
// CHECK: %[[MORE:.*]] = arith.addi %[[DEPTH]], %c31
// CHECK: arith.divui %[[MORE]], %c32
func.func @bounded(%a: memref<64x64xbf16>, %b: memref<4x32x64xbf16>, %c: memref<64x128xf32>, %m: index, %n: index, %k: index) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  cpu.mma %a, %b into %c bounds(%m, %n, %k) : memref<64x64xbf16>, memref<4x32x64xbf16>, memref<64x128xf32>
  return
}

// Other types, and operands that are not packed to words, are multiplied on vectors.
// CHECK-LABEL: func.func @floats
// CHECK-NOT: amx.tile
// CHECK: vector.fma
func.func @floats(%a: memref<16x16xf32>, %b: memref<16x64xf32>, %c: memref<16x64xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  cpu.mma %a, %b into %c : memref<16x16xf32>, memref<16x64xf32>, memref<16x64xf32>
  return
}
