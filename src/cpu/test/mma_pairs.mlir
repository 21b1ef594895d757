// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

// Two neighbours of the left operand are one 32-bit broadcast; an odd depth is rounded up, its padding is zero.
// CHECK-LABEL: func.func @pairs
// CHECK: vector.load {{.*}} vector<2xbf16>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @pairs(%a: memref<32x64xbf16>, %b: memref<2x32x128xbf16>, %c: memref<32x128xf32>) attributes {tileaa.kernel, plan = {pair_dot = true, micro_tile_m = 4 : i64, micro_tile_n = 64 : i64, vector_bits = 512 : i64, loop_vectors = 4 : i64}} {
  cpu.mma %a, %b into %c : memref<32x64xbf16>, memref<2x32x128xbf16>, memref<32x128xf32>
  return
}

// CHECK-LABEL: func.func @pack
// CHECK: vector.interleave
func.func @pack(%b: memref<64x128xbf16>, %p: memref<2x32x128xbf16>) attributes {tileaa.kernel, plan = {vector_bits = 512 : i64, loop_vectors = 4 : i64}} {
  cpu.pack_pairs %b into %p : memref<64x128xbf16>, memref<2x32x128xbf16>
  return
}
