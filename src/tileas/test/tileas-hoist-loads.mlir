// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-hoist-loads | FileCheck %s

#x = #tileas.layout<"{register: 1 2 4, lane: 8 16 32 64 128, warp: 256 512} -> 1024">
#large = #tileas.layout<"{register: 1 2 4 1024 2048, lane: 8 16 32 64 128, warp: 256 512} -> 4096">

// The second load is issued with the first one, before the division.
// CHECK-LABEL: func.func @division
// CHECK: %[[A:.*]], %{{.*}} = tileaa.load_ptr %arg0
// CHECK-NEXT: %[[Q:.*]] = arith.addi %arg1, %arg1
// CHECK-NEXT: tileaa.load_ptr %[[Q]]
// CHECK: arith.divf %[[A]]
func.func @division(%p: tensor<1024xi64, #x>, %q: tensor<1024xi64, #x>) -> tensor<1024xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %a, %t = tileaa.load_ptr %p : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %b = arith.divf %a, %a : tensor<1024xf32, #x>
  %r = arith.addi %q, %q : tensor<1024xi64, #x>
  %c, %u = tileaa.load_ptr %r : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %d = arith.addf %b, %c : tensor<1024xf32, #x>
  return %d : tensor<1024xf32, #x>
}

// Assemblers move it over a sum themselves.
// CHECK-LABEL: func.func @sum
// CHECK: tileaa.load_ptr
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tileaa.load_ptr
func.func @sum(%p: tensor<1024xi64, #x>, %q: tensor<1024xi64, #x>) -> tensor<1024xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %a, %t = tileaa.load_ptr %p : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %b = arith.addf %a, %a : tensor<1024xf32, #x>
  %c, %u = tileaa.load_ptr %q : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %d = arith.addf %b, %c : tensor<1024xf32, #x>
  return %d : tensor<1024xf32, #x>
}

// Not over a store, nor if the address is made of what was loaded.
// CHECK-LABEL: func.func @store
// CHECK: arith.divf
// CHECK: tileaa.store_ptr
// CHECK: tileaa.load_ptr
func.func @store(%p: tensor<1024xi64, #x>, %q: tensor<1024xi64, #x>) -> tensor<1024xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %a, %t = tileaa.load_ptr %p : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %b = arith.divf %a, %a : tensor<1024xf32, #x>
  %s = tileaa.store_ptr %p, %b : tensor<1024xi64, #x>, tensor<1024xf32, #x>,
  %c, %u = tileaa.load_ptr %q : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %d = arith.addf %b, %c : tensor<1024xf32, #x>
  return %d : tensor<1024xf32, #x>
}

// CHECK-LABEL: func.func @address
// CHECK: arith.divf
// CHECK: arith.fptosi
// CHECK: tileaa.load_ptr
func.func @address(%p: tensor<1024xi64, #x>) -> tensor<1024xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %a, %t = tileaa.load_ptr %p : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %b = arith.divf %a, %a : tensor<1024xf32, #x>
  %q = arith.fptosi %b : tensor<1024xf32, #x> to tensor<1024xi64, #x>
  %c, %u = tileaa.load_ptr %q : tensor<1024xi64, #x>, -> tensor<1024xf32, #x>
  %d = arith.addf %b, %c : tensor<1024xf32, #x>
  return %d : tensor<1024xf32, #x>
}

// Two tiles of 32 registers each are too many.
// CHECK-LABEL: func.func @registers
// CHECK: tileaa.load_ptr
// CHECK-NEXT: arith.divf
// CHECK-NEXT: tileaa.load_ptr
func.func @registers(%p: tensor<4096xi64, #large>, %q: tensor<4096xi64, #large>) -> tensor<4096xf32, #large> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %a, %t = tileaa.load_ptr %p : tensor<4096xi64, #large>, -> tensor<4096xf32, #large>
  %b = arith.divf %a, %a : tensor<4096xf32, #large>
  %c, %u = tileaa.load_ptr %q : tensor<4096xi64, #large>, -> tensor<4096xf32, #large>
  %d = arith.addf %b, %c : tensor<4096xf32, #large>
  return %d : tensor<4096xf32, #large>
}

#a = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
#few = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 0} -> 64">
#many = #tileas.layout<"{register: 1 8 16 32, lane: 2 4 0 0 0, warp: 0 0} -> 64">

// In a loop, before a warpgroup's product, as long as its elements take few registers.
// CHECK-LABEL: func.func @products
// CHECK: scf.for
// CHECK-NEXT: %[[FEW:.*]] = arith.addi
// CHECK-NEXT: tileaa.load_ptr %[[FEW]]
// CHECK: tileas.mma
// CHECK: tileaa.load_ptr
// CHECK: tileas.mma
// CHECK: tileaa.load_ptr
func.func @products(%p: tensor<64xi64, #few>, %q: tensor<64xi64, #many>, %x: !tileas.buffer<64x64xbf16, #a>, %y: !tileas.buffer<64x64xbf16, #a>, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  scf.for %i = %c0 to %n step %c1 {
    %s = tileas.mma <wgmma m64n64k16> %x, %y, %zero : !tileas.buffer<64x64xbf16, #a>, !tileas.buffer<64x64xbf16, #a>, tensor<64x64xf32, #sums>
    %r = arith.addi %p, %p : tensor<64xi64, #few>
    %c, %u = tileaa.load_ptr %r : tensor<64xi64, #few>, -> tensor<64xf32, #few>
    %d, %v = tileaa.load_ptr %q : tensor<64xi64, #many>, -> tensor<64xf32, #many>
  }
  // Not outside of loops.
  %s = tileas.mma <wgmma m64n64k16> %x, %y, %zero : !tileas.buffer<64x64xbf16, #a>, !tileas.buffer<64x64xbf16, #a>, tensor<64x64xf32, #sums>
  %c, %u = tileaa.load_ptr %p : tensor<64xi64, #few>, -> tensor<64xf32, #few>
  return
}
