// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

// Two neighbours of the left operand are one 32-bit broadcast; an odd depth is rounded up, its padding is zero.
// CHECK-LABEL: func.func @pairs
// CHECK: vector.load {{.*}} vector<2xbf16>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @pairs(%a: memref<32x64xbf16>, %b: memref<2x32x128xbf16>, %c: memref<32x128xf32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<pair_dot = true, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.mma %a, %b into %c : memref<32x64xbf16>, memref<2x32x128xbf16>, memref<32x128xf32>
  return
}

// CHECK-LABEL: func.func @pack
// CHECK: vector.interleave
func.func @pack(%b: memref<64x128xbf16>, %p: memref<2x32x128xbf16>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.pack_words %b into %p : memref<64x128xbf16>, memref<2x32x128xbf16>
  return
}

// Bytes are extended on the way.
// CHECK-LABEL: func.func @pack_bytes
// CHECK: arith.extui {{.*}} vector<16xi8> to vector<16xi16>
// CHECK: vector.interleave {{.*}} vector<16xi16>
func.func @pack_bytes(%b: memref<64x128xi8>, %p: memref<2x32x128xi16>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.pack_words %b into %p {unsignedSource} : memref<64x128xi8>, memref<2x32x128xi16>
  return
}

// Each width of vectors has its instruction.
// CHECK-LABEL: func.func @wide
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// CHECK: arith.addi {{.*}} vector<16xi32>
func.func @wide(%a: memref<32x64xi16>, %b: memref<2x32x128xi16>, %c: memref<32x128xi32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.mma %a, %b into %c : memref<32x64xi16>, memref<2x32x128xi16>, memref<32x128xi32>
  return
}

// CHECK-LABEL: func.func @middle
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
func.func @middle(%a: memref<32x64xi16>, %b: memref<8x32x32xi16>, %c: memref<32x128xi32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_m = 6, micro_tile_n = 16, vector_bits = 256, loop_vectors = 4>} {
  cpu.mma %a, %b into %c : memref<32x64xi16>, memref<8x32x32xi16>, memref<32x128xi32>
  return
}

// Rows are read in their order, all panels of a pair of rows before the next pair; columns that are contiguous in memory
// are transposed as words of 32 bits, four of 16 columns at a time.
// CHECK-LABEL: func.func @pack_rows
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c32{{.*}} step %c1
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: vector.interleave
func.func @pack_rows(%b: memref<64x128xbf16>, %p: memref<2x32x128xbf16>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.pack_words %b into %p : memref<64x128xbf16>, memref<2x32x128xbf16>
  return
}

// CHECK-LABEL: func.func @pack_columns
// CHECK-COUNT-16: vector.bitcast {{.*}} : vector<8xbf16> to vector<4xi32>
// CHECK: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK-COUNT-4: vector.store {{.*}} vector<32xbf16>
func.func @pack_columns(%b: memref<64x128xbf16, strided<[1, 64]>>, %p: memref<2x32x128xbf16>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.pack_words %b into %p : memref<64x128xbf16, strided<[1, 64]>>, memref<2x32x128xbf16>
  return
}

// Quads of bytes, for the matrix unit.
// CHECK-LABEL: func.func @pack_quads
// CHECK-COUNT-3: vector.interleave
// CHECK: vector.store {{.*}} vector<64xi8>
func.func @pack_quads(%b: memref<64x128xi8>, %p: memref<4x16x128xi8>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512, loop_vectors = 4>} {
  cpu.pack_words %b into %p : memref<64x128xi8>, memref<4x16x128xi8>
  return
}

// A source whose lines are the columns.
// CHECK-LABEL: func.func @pack_lines
// CHECK: vector.load %{{.*}} : memref<128x64xbf16, strided<[64, 1]>>, vector<8xbf16>
// CHECK-NOT: vector.interleave
// CHECK: return
func.func @pack_lines(%b: memref<128x64xbf16>, %p: memref<2x32x128xbf16>) attributes {tileaa.kernel} {
  cpu.pack_words %b into %p {transposedSource} : memref<128x64xbf16>, memref<2x32x128xbf16>
  return
}
