// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: products with scales of sm_120, tensor memory and its products of sm_100.
// RUN: split-file %s %t
// RUN: tilewright-opt %t/scales.mlir --tileas-attach-target=arch=sm_120 --verify-tileas --verify-diagnostics
// RUN: tilewright-opt %t/memory.mlir --tileas-attach-target=arch=sm_100 --verify-tileas --split-input-file --verify-diagnostics

//--- scales.mlir
#a = #tileas.layout<"{register: (0,1) (0,2) (8,0) (0,16), lane: (0,4) (0,8) (1,0) (2,0) (4,0)} -> 16x32">
#b = #tileas.layout<"{register: (1,0) (2,0) (16,0), lane: (4,0) (8,0) (0,1) (0,2) (0,4)} -> 32x8">
#c = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8">
#s = #tileas.layout<"{register:, lane: (8,0) (0,0) (1,0) (2,0) (4,0)} -> 16x1">
#t = #tileas.layout<"{register:, lane: (0,0) (0,0) (0,1) (0,2) (0,4)} -> 1x8">
#w = #tileas.layout<"{register:, lane: (0,1) (0,0) (0,0) (0,2) (0,4)} -> 1x8">
#d = #tileas.layout<"{register: (1,0) (2,0) (0,1), lane: (4,0) (8,0) (16,0) (0,2) (0,4)} -> 32x8">
func.func @scales() attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %a = arith.constant dense<1> : tensor<16x32xi8, #a>
  %b = arith.constant dense<1> : tensor<32x8xi8, #b>
  %d = arith.constant dense<1> : tensor<32x8xi8, #d>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %s = arith.constant dense<1> : tensor<16x1xi8, #s>
  %t = arith.constant dense<1> : tensor<1x8xi8, #t>
  %w = arith.constant dense<1> : tensor<1x8xi8, #w>
  %legal = tileas.mma_scaled <mma_sync m16n8k32> %a, %b, %c scaled by %s, %t as f8E4M3FN, f8E8M0FNU : tensor<16x32xi8, #a>, tensor<32x8xi8, #b>, tensor<16x8xf32, #c>, tensor<16x1xi8, #s>, tensor<1x8xi8, #t>
  // expected-error@+1 {{'tileas.mma_scaled' op breaks the rule 'product-operand': has a scale whose layout is not what the accumulator needs}}
  %0 = tileas.mma_scaled <mma_sync m16n8k32> %a, %b, %c scaled by %s, %w as f8E4M3FN, f8E8M0FNU : tensor<16x32xi8, #a>, tensor<32x8xi8, #b>, tensor<16x8xf32, #c>, tensor<16x1xi8, #s>, tensor<1x8xi8, #w>
  // expected-error@+1 {{'tileas.mma_scaled' op breaks the rule 'product-operand': has an operand whose layout is not what the accumulator needs}}
  %1 = tileas.mma_scaled <mma_sync m16n8k32> %a, %d, %c scaled by %s, %t as f8E4M3FN, f8E8M0FNU : tensor<16x32xi8, #a>, tensor<32x8xi8, #d>, tensor<16x8xf32, #c>, tensor<16x1xi8, #s>, tensor<1x8xi8, #t>
  return
}

//--- memory.mlir
#left = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#odd = #tileas.layout<"{offset: (1,0) (0,1) (2,0) (0,2) (4,0) (0,4) (8,0) (0,8) (16,0) (0,16) (32,0) (0,32)} -> 64x64">
#memory = #tileas.layout<"{row: (1,0) (2,0) (4,0) (8,0) (0,0) (16,0) (32,0), column: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
#rows = #tileas.layout<"{register: (0,1) (0,2) (0,4) (0,8) (0,16), lane: (0,32) (1,0) (2,0) (4,0) (8,0), warp: (16,0) (32,0)} -> 64x64">
!tile = !tileas.buffer<64x64xf16, #left>
!odd = !tileas.buffer<64x64xf16, #odd>
!memory = !tileas.tmem<64x64xf32, #memory>
func.func @accesses(%yes: i1) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 16400>} {
  %m = tileas.tmem_alloc at 16384 : <64x64xf32, #memory>
  %a = tileas.alloc at 0 : <64x64xf16, #left>
  %o = tileas.alloc at 8192 : <64x64xf16, #odd>
  // expected-error@+1 {{'tileas.tmem_mma' op breaks the rule 'product-operand': has a left operand in a buffer that no descriptor of a matrix can name}}
  tileas.tmem_mma <tcgen05 m64n64k16> %o, %a, %m if %yes : !odd, !tile, !memory
  tileas.barrier
  // expected-error@+1 {{'tileas.tmem_mma' op breaks the rule 'product-type': multiplies elements that tcgen05 does not multiply}}
  tileas.tmem_mma <tcgen05 m64n64k16> %a, %a, %m if %yes {format = f4E2M1FN} : !tile, !tile, !memory
  tileas.barrier
  %legal = tileas.tmem_load %m : !memory -> tensor<64x64xf32, #sums>
  // expected-error@+1 {{'tileas.tmem_load' op breaks the rule 'tmem-access': moves a tile whose layout is not that of an access to tensor memory}}
  %0 = tileas.tmem_load %m : !memory -> tensor<64x64xf32, #rows>
  tileas.barrier
  // expected-error@+1 {{'tileas.tmem_store' op breaks the rule 'tmem-access': moves a tile whose layout is not that of an access to tensor memory}}
  tileas.tmem_store %0, %m : tensor<64x64xf32, #rows>, !memory
  tileas.tmem_dealloc %m : !memory
  return
}

// -----

#wide = #tileas.layout<"{row: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0), column: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128)} -> 128x256">
func.func @columns() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 48>} {
  %0 = tileas.tmem_alloc at 0 : <128x256xf32, #wide>
  %1 = tileas.tmem_alloc at 16 : <128x256xf32, #wide>
  // expected-error@+2 {{'tileas.tmem_alloc' op breaks the rule 'tmem-columns': needs 768 columns of tensor memory with those before it, and sm_100a has 512}}
  // expected-error@+1 {{'tileas.tmem_alloc' op breaks the rule 'tmem-columns': is freed 0 times, expected once}}
  %2 = tileas.tmem_alloc at 32 : <128x256xf32, #wide>
  tileas.tmem_dealloc %0 : <128x256xf32, #wide>
  tileas.tmem_dealloc %1 : <128x256xf32, #wide>
  return
}
