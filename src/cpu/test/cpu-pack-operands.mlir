// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-pack-operands --verify-each | FileCheck %s

// Where pairs are multiplied, two rows of the right operand are interleaved, panel by panel.
// CHECK-LABEL: func.func @pairs
// CHECK: cpu.pack_words {{.*}} tensor<64x128xbf16>, tensor<2x32x128xbf16>
// CHECK: cpu.mma {{.*}} tensor<32x64xbf16>, tensor<2x32x128xbf16>, tensor<32x128xf32>
func.func @pairs(%a: tensor<32x64xbf16>, %b: tensor<64x128xbf16>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<pair_dot = true, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %d = cpu.mma %a, %b into %c : tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<32x128xf32> -> tensor<32x128xf32>
  return %d : tensor<32x128xf32>
}

// Elsewhere both operands are widened.
// CHECK-LABEL: func.func @widened
// CHECK-NOT: cpu.pack_words
// CHECK-COUNT-2: arith.extf
// CHECK: cpu.mma {{.*}} tensor<32x64xf32>, tensor<64x128xf32>, tensor<32x128xf32>
func.func @widened(%a: tensor<32x64xbf16>, %b: tensor<64x128xbf16>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<pair_dot = false, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %d = cpu.mma %a, %b into %c : tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<32x128xf32> -> tensor<32x128xf32>
  return %d : tensor<32x128xf32>
}

// Bytes are pairs of 16-bit integers, whose products and sums every x86 has. Each operand has its own sign.
// CHECK-LABEL: func.func @integers
// CHECK: arith.extsi {{.*}} : i8 to i16
// CHECK: cpu.pack_words {{.*}} {unsignedSource} : tensor<64x128xi8>, tensor<2x32x128xi16>
// CHECK: cpu.mma {{.*}} tensor<32x64xi16>, tensor<2x32x128xi16>, tensor<32x128xi32>
func.func @integers(%a: tensor<32x64xi8>, %b: tensor<64x128xi8>, %c: tensor<32x128xi32>) -> tensor<32x128xi32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512>} {
  %d = cpu.mma %a, %b into %c {unsignedRhs} : tensor<32x64xi8>, tensor<64x128xi8>, tensor<32x128xi32> -> tensor<32x128xi32>
  return %d : tensor<32x128xi32>
}

// Too narrow for pairs: the register block widens what it loads.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: cpu.pack_words
// CHECK: cpu.mma {{.*}} tensor<32x64xi8>, tensor<64x8xi8>, tensor<32x8xi32>
func.func @narrow(%a: tensor<32x64xi8>, %b: tensor<64x8xi8>, %c: tensor<32x8xi32>) -> tensor<32x8xi32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 512>} {
  %d = cpu.mma %a, %b into %c : tensor<32x64xi8>, tensor<64x8xi8>, tensor<32x8xi32> -> tensor<32x8xi32>
  return %d : tensor<32x8xi32>
}

// The matrix unit multiplies whole tiles only: all tiles of a function have one shape.
// CHECK-LABEL: func.func @tiles
// CHECK-COUNT-2: cpu.pack_words
// CHECK-NOT: cpu.pack_words
// CHECK: return
func.func @tiles(%a: tensor<16x32xbf16>, %b: tensor<32x16xbf16>, %c: tensor<16x16xf32>, %few: tensor<8x32xbf16>, %fewsums: tensor<8x16xf32>, %flat: tensor<16x16xbf16>, %narrow: tensor<16x16xbf16>, %bytes: tensor<16x64xi8>, %others: tensor<64x16xi8>, %ints: tensor<16x16xi32>) -> (tensor<16x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>, tensor<16x16xi32>) attributes {tileaa.kernel, cpu.plan = #cpu.plan<mma_unit = amx, micro_tile_n = 64, vector_bits = 512>} {
  %whole = cpu.mma %a, %b into %c : tensor<16x32xbf16>, tensor<32x16xbf16>, tensor<16x16xf32> -> tensor<16x16xf32>
  %short = cpu.mma %few, %b into %fewsums : tensor<8x32xbf16>, tensor<32x16xbf16>, tensor<8x16xf32> -> tensor<8x16xf32>
  %shallow = cpu.mma %flat, %narrow into %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32> -> tensor<16x16xf32>
  %counts = cpu.mma %bytes, %others into %ints : tensor<16x64xi8>, tensor<64x16xi8>, tensor<16x16xi32> -> tensor<16x16xi32>
  return %whole, %short, %shallow, %counts : tensor<16x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>, tensor<16x16xi32>
}

// Quads of bytes stay bytes, and the left operand is read in place.
// CHECK-LABEL: func.func @byte_quads
// CHECK-NOT: arith.extsi
// CHECK: cpu.pack_words {{.*}} tensor<64x128xi8>, tensor<8x16x64xi8>
// CHECK: cpu.mma {{.*}} tensor<32x64xi8>, tensor<8x16x64xi8>, tensor<32x128xi32>
func.func @byte_quads(%a: tensor<32x64xi8>, %b: tensor<64x128xi8>, %c: tensor<32x128xi32>) -> tensor<32x128xi32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<isa = aarch64, byte_words = 4, micro_tile_n = 16>} {
  %d = cpu.mma %a, %b into %c : tensor<32x64xi8>, tensor<64x128xi8>, tensor<32x128xi32> -> tensor<32x128xi32>
  return %d : tensor<32x128xi32>
}

// There is no product of signed and unsigned bytes among those of the unit, nor any without dotprod.
// CHECK-LABEL: func.func @two_signs
// CHECK-NOT: cpu.pack_words
// CHECK-LABEL: func.func @widened_bytes
// CHECK-NOT: cpu.pack_words
func.func @two_signs(%a: tensor<32x64xi8>, %b: tensor<64x128xi8>, %c: tensor<32x128xi32>) -> tensor<32x128xi32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<isa = aarch64, byte_words = 4, micro_tile_n = 16>} {
  %d = cpu.mma %a, %b into %c {unsignedRhs} : tensor<32x64xi8>, tensor<64x128xi8>, tensor<32x128xi32> -> tensor<32x128xi32>
  return %d : tensor<32x128xi32>
}
func.func @widened_bytes(%a: tensor<32x64xi8>, %b: tensor<64x128xi8>, %c: tensor<32x128xi32>) -> tensor<32x128xi32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<isa = aarch64, byte_words = 1, micro_tile_n = 16>} {
  %d = cpu.mma %a, %b into %c : tensor<32x64xi8>, tensor<64x128xi8>, tensor<32x128xi32> -> tensor<32x128xi32>
  return %d : tensor<32x128xi32>
}

#columns = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#of_column = affine_map<(d0, d1) -> (d1)>
!weights = !tileaa.view<[?, ?], i8, strides = [?, 1]>

// Weights that are converted for the product, and lie in memory column by column, are converted as they lie: words of
// two elements are transposed when they are packed.
// CHECK-LABEL: func.func @converted
// CHECK: %[[COLUMNS:.*]] = linalg.generic {indexing_maps = [#[[TURNED:.*]], #[[ROW:.*]], #[[ID:.*]]], {{.*}}} ins({{.*}} : tensor<64x128xi8>, tensor<128xf32>) outs({{.*}} : tensor<128x64xbf16>)
// CHECK:   linalg.index 1
// CHECK: cpu.pack_words %[[COLUMNS]] into %{{.*}} {transposedSource} : tensor<128x64xbf16>, tensor<2x32x128xbf16>
func.func @converted(%a: tensor<32x64xbf16>, %x: i64, %rows: index, %columns: index, %stride: index, %scales: tensor<128xf32>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<pair_dot = true, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %c0 = arith.constant 0 : index
  %view = tileaa.make_view %x, shape [%rows, %columns], strides [%stride] : !weights
  %w, %token = tileaa.load_view %view[%c0, %c0] dims [1, 0] : !weights -> tensor<64x128xi8>
  %empty = tensor.empty() : tensor<64x128xbf16>
  %b = linalg.generic {indexing_maps = [#columns, #of_column, #columns], iterator_types = ["parallel", "parallel"]} ins(%w, %scales : tensor<64x128xi8>, tensor<128xf32>) outs(%empty : tensor<64x128xbf16>) {
  ^bb0(%in: i8, %scale: f32, %out: bf16):
    %k = linalg.index 0 : index
    %i = arith.index_cast %k : index to i8
    %shifted = arith.addi %in, %i : i8
    %number = arith.sitofp %shifted : i8 to f32
    %scaled = arith.mulf %number, %scale : f32
    %rounded = arith.truncf %scaled : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<64x128xbf16>
  %d = cpu.mma %a, %b into %c : tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<32x128xf32> -> tensor<32x128xf32>
  return %d : tensor<32x128xf32>
}

// A tile in scratch that is read across its lines lies by columns, too; rows of it are converted as rows.
// CHECK-LABEL: func.func @scratch
// CHECK: cpu.pack_words %{{.*}} {transposedSource} : tensor<128x64xbf16>
// CHECK: cpu.pack_words %{{.*}} : tensor<64x128xbf16>
func.func @scratch(%a: tensor<32x64xbf16>, %w: tensor<128x64xf32>, %v: tensor<64x128xf32>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> attributes {tileaa.kernel, cpu.plan = #cpu.plan<pair_dot = true, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>} {
  %empty = tensor.empty() : tensor<64x128xbf16>
  %b = linalg.generic {indexing_maps = [#turned, #columns], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<128x64xf32>) outs(%empty : tensor<64x128xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %rounded = arith.truncf %in : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<64x128xbf16>
  %d = cpu.mma %a, %b into %c : tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<32x128xf32> -> tensor<32x128xf32>
  %e = linalg.generic {indexing_maps = [#columns, #columns], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<64x128xf32>) outs(%empty : tensor<64x128xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %rounded = arith.truncf %in : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<64x128xbf16>
  %f = cpu.mma %a, %e into %d : tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<32x128xf32> -> tensor<32x128xf32>
  return %f : tensor<32x128xf32>
}
