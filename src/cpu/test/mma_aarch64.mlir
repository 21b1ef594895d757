// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

// A block of 4x16 sums: a broadcast of four neighbours of each row, times the quads of four columns of each vector.
// CHECK-LABEL: func.func @signed_quads
// CHECK: vector.load {{.*}} vector<4xi8>
// CHECK: vector.broadcast {{.*}} : vector<1xi32> to vector<4xi32>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"({{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// CHECK-NOT: llvm.call_intrinsic
func.func @signed_quads(%a: memref<32x64xi8>, %b: memref<8x16x64xi8>, %c: memref<32x128xi32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<isa = aarch64, byte_words = 4, micro_tile_m = 6, micro_tile_n = 16>} {
  cpu.mma %a, %b into %c : memref<32x64xi8>, memref<8x16x64xi8>, memref<32x128xi32>
  return
}

// CHECK-LABEL: func.func @unsigned_quads
// CHECK: llvm.call_intrinsic "llvm.aarch64.neon.udot.v4i32.v16i8"
func.func @unsigned_quads(%a: memref<32x64xi8>, %b: memref<8x16x64xi8>, %c: memref<32x128xi32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<isa = aarch64, byte_words = 4, micro_tile_m = 6, micro_tile_n = 16>} {
  cpu.mma %a, %b into %c {unsignedLhs, unsignedRhs} : memref<32x64xi8>, memref<8x16x64xi8>, memref<32x128xi32>
  return
}

// CHECK-LABEL: func.func @pairs
// CHECK: llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"({{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
func.func @pairs(%a: memref<32x64xbf16>, %b: memref<8x32x32xbf16>, %c: memref<32x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<isa = aarch64, byte_words = 1, pair_dot = true, micro_tile_m = 6, micro_tile_n = 16>} {
  cpu.mma %a, %b into %c : memref<32x64xbf16>, memref<8x32x32xbf16>, memref<32x128xf32>
  return
}
