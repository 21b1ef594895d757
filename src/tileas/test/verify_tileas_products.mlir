// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: atoms, types and layouts of products, and accesses to tensor memory.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --verify-tileas --split-input-file --verify-diagnostics

// Instructions of other architectures.
#a = #tileas.layout<"{register: (0,1) (8,0) (0,8), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x16">
#b = #tileas.layout<"{register: (1,0) (8,0), lane: (2,0) (4,0) (0,1) (0,2) (0,4)} -> 16x8">
#c = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8">
#rows = #tileas.layout<"{register: (0,1) (1,0), lane: (0,2) (0,4) (2,0) (4,0) (8,0)} -> 16x8">
func.func @warps() attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %a = arith.constant dense<1.0> : tensor<16x16xbf16, #a>
  %b = arith.constant dense<1.0> : tensor<16x8xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %r = arith.constant dense<0.0> : tensor<16x8xf32, #rows>
  %legal = tileas.mma <mma_sync m16n8k16> %a, %b, %c : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-atom': multiplies elements of 16 bits by #tileas.atom<mma_sync m64n8k16>, which sm_90a does not have}}
  %0 = tileas.mma <mma_sync m64n8k16> %a, %b, %r : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #rows>
  return
}

// -----

#a = #tileas.layout<"{register: (0,1) (8,0) (0,8), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x16">
#b = #tileas.layout<"{register: (1,0) (8,0), lane: (2,0) (4,0) (0,1) (0,2) (0,4)} -> 16x8">
#c = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8">
#order = #tileas.layout<"{register: (0,8) (8,0) (0,1), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x16">
#turned = #tileas.layout<"{register: (1,0) (8,0) (0,8), lane: (0,2) (0,4) (0,1) (2,0) (4,0)} -> 16x16">
#wrong = #tileas.layout<"{register: (1,0) (2,0), lane: (8,0) (4,0) (0,1) (0,2) (0,4)} -> 16x8">
#rows = #tileas.layout<"{register: (0,1) (1,0), lane: (0,2) (0,4) (2,0) (4,0) (8,0)} -> 16x8">
func.func @operands() attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %a = arith.constant dense<1.0> : tensor<16x16xbf16, #a>
  %o = arith.constant dense<1.0> : tensor<16x16xbf16, #order>
  %t = arith.constant dense<1.0> : tensor<16x16xbf16, #turned>
  %b = arith.constant dense<1.0> : tensor<16x8xbf16, #b>
  %w = arith.constant dense<1.0> : tensor<16x8xbf16, #wrong>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %r = arith.constant dense<0.0> : tensor<16x8xf32, #rows>
  // Registers may stand in any order.
  %legal = tileas.mma <mma_sync m16n8k16> %o, %b, %c : tensor<16x16xbf16, #order>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has a left operand whose layout is not what the accumulator needs}}
  %0 = tileas.mma <mma_sync m16n8k16> %t, %b, %c : tensor<16x16xbf16, #turned>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has a right operand whose layout is not what the accumulator needs}}
  %1 = tileas.mma <mma_sync m16n8k16> %a, %w, %c : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #wrong>, tensor<16x8xf32, #c>
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-accumulator': has an accumulator whose layout is not that of #tileas.atom<mma_sync m16n8k16>}}
  %2 = tileas.mma <mma_sync m16n8k16> %a, %b, %r : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #rows>
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has an operand in registers, expected both in buffers: fma reads its operands from there}}
  %3 = tileas.mma <fma> %a, %b, %c : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  return
}

// -----

#left = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#odd = #tileas.layout<"{offset: (1,0) (0,1) (2,0) (0,2) (4,0) (0,4) (8,0) (0,8) (16,0) (0,16) (32,0) (0,32)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
#rows = #tileas.layout<"{register: (0,1) (0,2) (0,4) (0,8) (0,16), lane: (0,32) (1,0) (2,0) (4,0) (8,0), warp: (16,0) (32,0)} -> 64x64">
!tile = !tileas.buffer<64x64xf16, #left>
!odd = !tileas.buffer<64x64xf16, #odd>
!sums = tensor<64x64xf32, #sums>
!half = tensor<64x64xf16, #sums>
func.func @warpgroups() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 24576>} {
  %a = tileas.alloc at 0 : <64x64xf16, #left>
  %o = tileas.alloc at 8192 : <64x64xf16, #odd>
  %i = tileas.alloc at 16384 : <64x64xi16, #left>
  %r = arith.constant dense<1.0> : tensor<64x64xf16, #rows>
  %c = arith.constant dense<0.0> : !sums
  %h = arith.constant dense<0.0> : !half
  %w = arith.constant dense<0.0> : tensor<64x64xf32, #rows>
  %legal = tileas.mma <wgmma m64n64k16> %a, %a, %c : !tile, !tile, !sums
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has a right operand in a buffer that no descriptor of a matrix can name}}
  %0 = tileas.mma <wgmma m64n64k16> %a, %o, %c : !tile, !odd, !sums
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has a left operand in a buffer that no descriptor of a matrix can name}}
  %1 = tileas.mma <wgmma m64n64k16> %o, %a, %c : !odd, !tile, !sums
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has a left operand whose layout is not what the accumulator needs}}
  %2 = tileas.mma <wgmma m64n64k16> %r, %a, %c : tensor<64x64xf16, #rows>, !tile, !sums
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-operand': has its right operand in registers, expected a buffer: wgmma reads it from there}}
  %3 = tileas.mma <wgmma m64n64k16> %a, %r, %c : !tile, tensor<64x64xf16, #rows>, !sums
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-accumulator': has an accumulator whose layout is not that of #tileas.atom<wgmma m64n64k16>}}
  %4 = tileas.mma <wgmma m64n64k16> %a, %a, %w : !tile, !tile, tensor<64x64xf32, #rows>
  // expected-error@+1 {{'tileas.mma' op breaks the rule 'product-type': multiplies elements that wgmma does not multiply}}
  %5 = tileas.mma <wgmma m64n64k16> %i, %i, %c : !tileas.buffer<64x64xi16, #left>, !tileas.buffer<64x64xi16, #left>, !sums
  %6 = tileas.mma <wgmma m64n64k16> %a, %a, %h {running} : !tile, !tile, !half
  // expected-error@+1 {{'tileas.mma_wait' op breaks the rule 'product-wait': waits for sums of fewer than 32 bits, which are not left running}}
  %7 = tileas.mma_wait %6 : !half
  return
}

// -----

#a = #tileas.layout<"{register: (0,1) (0,2) (8,0) (0,16), lane: (0,4) (0,8) (1,0) (2,0) (4,0)} -> 16x32">
#b = #tileas.layout<"{register: (1,0) (2,0) (16,0), lane: (4,0) (8,0) (0,1) (0,2) (0,4)} -> 32x8">
#c = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8">
#s = #tileas.layout<"{register:, lane: (8,0) (0,0) (1,0) (2,0) (4,0)} -> 16x1">
#t = #tileas.layout<"{register:, lane: (0,0) (0,0) (0,1) (0,2) (0,4)} -> 1x8">
func.func @scales() attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %a = arith.constant dense<1> : tensor<16x32xi8, #a>
  %b = arith.constant dense<1> : tensor<32x8xi8, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %s = arith.constant dense<1> : tensor<16x1xi8, #s>
  %t = arith.constant dense<1> : tensor<1x8xi8, #t>
  // expected-error@+1 {{'tileas.mma_scaled' op breaks the rule 'product-atom': multiplies with scales, which sm_90a does not}}
  %0 = tileas.mma_scaled <mma_sync m16n8k32> %a, %b, %c scaled by %s, %t as f8E4M3FN, f8E8M0FNU : tensor<16x32xi8, #a>, tensor<32x8xi8, #b>, tensor<16x8xf32, #c>, tensor<16x1xi8, #s>, tensor<1x8xi8, #t>
  return
}
