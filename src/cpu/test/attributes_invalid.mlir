// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of cpu at functions, loops and buffers: which there are, what they say, and where they stand.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'cpu.plans' is no attribute of cpu, expected one of cpu.plan, cpu.scratch_bytes, cpu.joined, cpu.fetch, cpu.stream, cpu.end, cpu.bounds, cpu.effect_only, cpu.steps, cpu.kept, cpu.state}}
func.func @unknown() attributes {cpu.plans = #cpu.plan<>} {
  return
}

// -----

// expected-error@+1 {{parameter 0 has 'cpu.kept', expected no attribute of cpu there}}
func.func @of_a_parameter(%x: memref<8xf32> {cpu.kept}) {
  return
}

// -----

// expected-error@+1 {{'cpu.plan' is {depth = 64 : i64}, expected #cpu.plan}}
func.func @dictionary() attributes {cpu.plan = {depth = 64 : i64}} {
  return
}

// -----

func.func @plan_of_an_operation(%x: i32) {
  // expected-error@+1 {{'cpu.plan' is at 'arith.addi', expected a function}}
  %0 = arith.addi %x, %x {cpu.plan = #cpu.plan<>} : i32
  return
}

// -----

// expected-error@+1 {{a plan has no 'vector_bit', expected one of byte_words, depth, isa, joined_blocks, kept_bytes, loop_vectors, micro_tile_m, micro_tile_n, mma_unit, pair_dot, prefetch_tiles, stream_bytes, vector_bits}}
func.func @misspelled() attributes {cpu.plan = #cpu.plan<vector_bit = 256>} {
  return
}

// -----

// expected-error@+1 {{a plan with two values of depth, expected one}}
func.func @twice() attributes {cpu.plan = #cpu.plan<depth = 64, depth = 128>} {
  return
}

// -----

// expected-error@+1 {{depth is 'deep', expected a number}}
func.func @no_number() attributes {cpu.plan = #cpu.plan<depth = deep>} {
  return
}

// -----

// expected-error@+1 {{pair_dot is '1', expected true or false}}
func.func @no_flag() attributes {cpu.plan = #cpu.plan<pair_dot = 1>} {
  return
}

// -----

// expected-error@+1 {{a plan whose depth is 0, expected 1 to 65536}}
func.func @depth() attributes {cpu.plan = #cpu.plan<depth = 0>} {
  return
}

// -----

// expected-error@+1 {{a plan whose kept_bytes is -1, expected 0 (none) or more}}
func.func @kept_bytes() attributes {cpu.plan = #cpu.plan<kept_bytes = -1>} {
  return
}

// -----

// expected-error@+1 {{a plan whose loop_vectors is 3, expected 1, 2, 4, 8 or 16}}
func.func @loop_vectors() attributes {cpu.plan = #cpu.plan<loop_vectors = 3>} {
  return
}

// -----

// expected-error@+1 {{a plan whose micro_tile_m is 33, expected 1 to 32 rows}}
func.func @micro_tile_m() attributes {cpu.plan = #cpu.plan<micro_tile_m = 33>} {
  return
}

// -----

// expected-error@+1 {{a plan whose micro_tile_n is 8, expected a power of two from vector_bits / 32 to 512}}
func.func @micro_tile_n() attributes {cpu.plan = #cpu.plan<micro_tile_n = 8, vector_bits = 512>} {
  return
}

// -----

// expected-error@+1 {{mma_unit is 'tpu', expected vector, amx, amx_model}}
func.func @no_unit() attributes {cpu.plan = #cpu.plan<mma_unit = tpu>} {
  return
}

// -----

// expected-error@+1 {{a plan whose mma_unit is amx, expected vector or amx_model, except for a target with amx-bf16 and amx-int8}}
func.func @mma_unit() attributes {cpu.plan = #cpu.plan<mma_unit = amx, vector_bits = 256>} {
  return
}

// -----

// expected-error@+1 {{a plan whose pair_dot is true, expected false, except for 512-bit vectors on a target with avx512bf16}}
func.func @pair_dot() attributes {cpu.plan = #cpu.plan<pair_dot = true, vector_bits = 256>} {
  return
}

// -----

// expected-error@+1 {{a plan whose byte_words is 4, expected 1, 2 on x86, or 4 on aarch64 with dotprod}}
func.func @byte_words() attributes {cpu.plan = #cpu.plan<byte_words = 4>} {
  return
}

// -----

// expected-error@+1 {{a plan whose byte_words is 2, expected 1, 2 on x86, or 4 on aarch64 with dotprod}}
func.func @byte_words_of_aarch64() attributes {cpu.plan = #cpu.plan<isa = aarch64>} {
  return
}

// -----

// expected-error@+1 {{a plan whose vector_bits is 256, expected 128, 256 or 512, and no more than the target has}}
func.func @vector_bits_of_aarch64() attributes {cpu.plan = #cpu.plan<isa = aarch64, byte_words = 1, vector_bits = 256>} {
  return
}

// -----

// expected-error@+1 {{isa is 'arm', expected x86, aarch64}}
func.func @isa() attributes {cpu.plan = #cpu.plan<isa = arm>} {
  return
}

// -----

// expected-error@+1 {{a plan whose prefetch_tiles is 65, expected 0 to 64}}
func.func @prefetch_tiles() attributes {cpu.plan = #cpu.plan<prefetch_tiles = 65>} {
  return
}

// -----

// expected-error@+1 {{a plan whose stream_bytes is -1, expected 0 (never) or more}}
func.func @stream_bytes() attributes {cpu.plan = #cpu.plan<stream_bytes = -1>} {
  return
}

// -----

// expected-error@+1 {{a plan whose vector_bits is 1024, expected 128, 256 or 512, and no more than the target has}}
func.func @vector_bits() attributes {cpu.plan = #cpu.plan<micro_tile_n = 64, vector_bits = 1024>} {
  return
}

// -----

// expected-error@+1 {{'cpu.scratch_bytes' is 64 : i32, expected an i64 of 0 or more}}
func.func @narrow_bytes() attributes {cpu.scratch_bytes = 64 : i32} {
  return
}

// -----

// expected-error@+1 {{'cpu.scratch_bytes' is -64 : i64, expected an i64 of 0 or more}}
func.func @negative_bytes() attributes {cpu.scratch_bytes = -64 : i64} {
  return
}

// -----

// expected-error@+1 {{'cpu.scratch_bytes' is at 'builtin.module', expected a function}}
module attributes {cpu.scratch_bytes = 64 : i64} {
}

// -----

// expected-error@+1 {{a fetch of 0 inputs, expected one at least}}
func.func @nothing() attributes {cpu.fetch = #cpu.fetch<0>} {
  return
}

// -----

// expected-error@+1 {{a fetch of half 2, expected 0 or 1}}
func.func @third_half() attributes {cpu.fetch = #cpu.fetch<1, half = 2>} {
  return
}

// -----

// expected-error@+1 {{a fetch of half of 2 inputs, expected one}}
func.func @half_of_two() attributes {cpu.fetch = #cpu.fetch<2, half = 0>} {
  return
}

// -----

// expected-error@+1 {{'cpu.fetch' is at 'func.func', expected a linalg.generic}}
func.func @of_a_function() attributes {cpu.fetch = #cpu.fetch<1>} {
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @number(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{'cpu.fetch' is 1 : i64, expected #cpu.fetch}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) attrs = {cpu.fetch = 1} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @too_many(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{prefetches 2 inputs, expected at most the 1 that it has}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) attrs = {cpu.fetch = #cpu.fetch<2>} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @read(%x: memref<8xf32>, %later: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{prefetches input 1, expected a body that does not use it}}
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %later : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>) attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: f32, %l: f32, %b: f32):
    linalg.yield %l : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @no_bounds(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{has cpu.bounds, expected an index as each of its first 2 inputs: where its box begins and ends along each dimension}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) attrs = {cpu.bounds} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @flags(%y: memref<8xi1>) {
  // expected-error@+1 {{'cpu.effect_only' is true, expected a unit}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<8xi1>) attrs = {cpu.effect_only = true} {
  ^bb0(%b: i1):
    linalg.yield %b : i1
  }
  return
}

// -----

func.func @stream_of_an_allocation() {
  // expected-error@+1 {{'cpu.stream' is at 'memref.alloc', expected a linalg.generic}}
  %a = memref.alloc() {cpu.stream} : memref<8xf32>
  return
}

// -----

func.func @no_steps() {
  // expected-error@+1 {{'cpu.steps' is 0 : i64, expected an i64 of 1 or more}}
  %a = memref.alloc() {cpu.steps = 0 : i64} : memref<8xf32>
  return
}

// -----

func.func @kept_on_the_stack() {
  // expected-error@+1 {{'cpu.kept' is at 'memref.alloca', expected a memref.alloc}}
  %a = memref.alloca() {cpu.kept} : memref<8xf32>
  return
}

// -----

func.func @state_by_number() {
  // expected-error@+1 {{'cpu.state' is 1 : i64, expected a unit}}
  %a = memref.alloc() {cpu.state = 1} : memref<8xi64>
  return
}

// -----

// expected-error@+1 {{'cpu.joined' is 1 : i64, expected an i64 of 2 or more}}
func.func @one_block() attributes {cpu.joined = 1 : i64} {
  return
}

// -----

// expected-error@+1 {{a plan whose joined_blocks is 0, expected 1 to 64}}
func.func @no_block() attributes {cpu.plan = #cpu.plan<joined_blocks = 0>} {
  return
}
