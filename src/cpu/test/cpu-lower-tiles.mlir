// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-lower-tiles --verify-each --split-input-file | FileCheck %s

// Each operation becomes its intrinsic, and a loop carries tiles as LLVM has them.
// CHECK-LABEL: func.func @product
// CHECK: llvm.call_intrinsic "llvm.x86.tilezero.internal"({{.*}}) : (i16, i16) -> !llvm.x86_amx
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (!llvm.x86_amx)
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// CHECK: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
// CHECK-NOT: amx.
func.func @product(%a: memref<16x512xbf16>, %b: memref<4x256x64xbf16>, %c: memref<16x128xf32>, %steps: index) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %sums = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (!amx.tile<16x16xf32>) {
    %left = amx.tile_load %a[%c0, %i] : memref<16x512xbf16> into !amx.tile<16x32xbf16>
    %right = amx.tile_load %b[%c0, %i, %c0] : memref<4x256x64xbf16> into !amx.tile<16x32xbf16>
    %next = amx.tile_mulf %left, %right, %sum : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    scf.yield %next : !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%c0, %c0], %sums : memref<16x128xf32>, !amx.tile<16x16xf32>
  return
}

// -----

// The model has a buffer for each zeroed or loaded tile. Even and odd elements of a word have sums of their own.
// CHECK-LABEL: func.func @model
// CHECK-COUNT-3: memref.alloca
// CHECK: scf.for
// CHECK: vector.store {{.*}} : memref<16x16xf32>, vector<16xf32>
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK: vector.deinterleave {{.*}} : vector<32xbf16>
// CHECK-COUNT-2: vector.fma
// CHECK-COUNT-2: arith.addf
// CHECK-NOT: amx.
func.func @model(%a: memref<16x32xbf16>, %b: memref<1x16x64xbf16>, %c: memref<16x32xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx_model>} {
  %c0 = arith.constant 0 : index
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %left = amx.tile_load %a[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %right = amx.tile_load %b[%c0, %c0, %c0] : memref<1x16x64xbf16> into !amx.tile<16x32xbf16>
  %sums = amx.tile_mulf %left, %right, %zero : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  amx.tile_store %c[%c0, %c0], %sums : memref<16x32xf32>, !amx.tile<16x16xf32>
  return
}

// -----

// Of bytes each operand is signed or not.
// CHECK-LABEL: func.func @bytes
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd.internal"
func.func @bytes(%a: memref<16x64xi8>, %b: memref<1x16x128xi8>, %c: memref<16x32xi32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %zero = amx.tile_zero : !amx.tile<16x16xi32>
  %left = amx.tile_load %a[%c0, %c0] : memref<16x64xi8> into !amx.tile<16x64xi8>
  %right = amx.tile_load %b[%c0, %c0, %c0] : memref<1x16x128xi8> into !amx.tile<16x64xi8>
  %sums = amx.tile_muli %left zext, %right, %zero : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
  amx.tile_store %c[%c0, %c0], %sums : memref<16x32xi32>, !amx.tile<16x16xi32>
  return
}

// -----

// Code without tiles is left alone.
// CHECK-LABEL: func.func @other
// CHECK: vector.fma
func.func @other(%a: vector<16xf32>) -> vector<16xf32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  %sum = vector.fma %a, %a, %a : vector<16xf32>
  return %sum : vector<16xf32>
}
