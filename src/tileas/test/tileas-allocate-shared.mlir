// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-allocate-shared))' | FileCheck %s

#x = #tileas.layout<"{register: 32, lane: 1 2 4 8 16, warp: 64 128} -> 256">
#b = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128} -> 256">
#swizzled = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32)} -> 8x64">
#w = #tileas.layout<"{register: (0,32) (4,0), lane: (0,1) (0,2) (0,4) (0,8) (0,16), warp: (1,0) (2,0)} -> 8x64">

// One after the other: the same memory, 1 KB. The swizzled one comes first, as it is the largest.
// CHECK-LABEL: func.func @sequence
// CHECK-SAME: shared_bytes = 2048>
func.func @sequence(%x: tensor<256xf32, #x>, %w: tensor<8x64xf32, #w>) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: tileas.alloc at 0 :
  %a = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %a : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %0 = tileas.read %a : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  // CHECK: tileas.alloc at 0 :
  %b = tileas.alloc : !tileas.buffer<8x64xf32, #swizzled>
  tileas.write %w, %b : tensor<8x64xf32, #w>, !tileas.buffer<8x64xf32, #swizzled>
  %1 = tileas.read %b : !tileas.buffer<8x64xf32, #swizzled> -> tensor<8x64xf32, #w>
  return
}

// Both at once, and a third in the memory of the first. An alloc without accesses needs nothing of its own.
// CHECK-LABEL: func.func @overlap
// CHECK-SAME: shared_bytes = 2048>
func.func @overlap(%x: tensor<256xf32, #x>) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: tileas.alloc at 0 :
  // CHECK: tileas.alloc at 1024 :
  // CHECK: tileas.alloc at 0 :
  %a = tileas.alloc : !tileas.buffer<256xf32, #b>
  %b = tileas.alloc : !tileas.buffer<256xf32, #b>
  %c = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %a : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  tileas.write %x, %b : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %0 = tileas.read %a : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  tileas.write %0, %c : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %1 = tileas.read %b : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  %2 = tileas.read %c : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  return
}

// What was made before a loop is needed as long as the loop runs; of what is made inside, each iteration has its own.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: shared_bytes = 2048>
func.func @loop(%x: tensor<256xf32, #x>, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: tileas.alloc at 0 :
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %a : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: tileas.alloc at 1024 :
    %0 = tileas.read %a : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
    %b = tileas.alloc : !tileas.buffer<256xf32, #b>
    tileas.write %0, %b : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
    %1 = tileas.read %b : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  }
  return
}

// Sides of a branch share memory, and a buffer that the branch hands on is needed where it is read.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: shared_bytes = 3072>
func.func @branch(%x: tensor<256xf32, #x>, %c: i1) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: tileas.alloc at 0 :
  // CHECK: tileas.alloc at 1024 :
  %a = tileas.alloc : !tileas.buffer<256xf32, #b>
  %b = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %a : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  tileas.write %x, %b : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %either = scf.if %c -> !tileas.buffer<256xf32, #b> {
    // CHECK: tileas.alloc at 2048 :
    %d = tileas.alloc : !tileas.buffer<256xf32, #b>
    tileas.write %x, %d : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
    %1 = tileas.read %d : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
    scf.yield %a : !tileas.buffer<256xf32, #b>
  } else {
    // CHECK: tileas.alloc at 2048 :
    %d = tileas.alloc : !tileas.buffer<256xf32, #b>
    tileas.write %x, %d : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
    %1 = tileas.read %d : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
    scf.yield %b : !tileas.buffer<256xf32, #b>
  }
  %0 = tileas.read %either : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  return
}

// Memory of the kernel's own is nobody else's, neither later nor before it is there: no barrier is for accesses through
// addresses.
// CHECK-LABEL: func.func @alloca
// CHECK-SAME: shared_bytes = 1280>
func.func @alloca(%x: tensor<256xf32, #x>) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: tileas.alloc at 0 :
  %a = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %a : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %0 = tileas.read %a : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  // CHECK: tileaa.alloca 256 aligned 256 at 1024
  // CHECK: tileas.alloc at 0 :
  %p = tileaa.alloca 256 aligned 256
  %b = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %b : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %1 = tileas.read %b : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  return
}

// CHECK-LABEL: func.func @alloca_behind
// CHECK-SAME: shared_bytes = 5120>
func.func @alloca_behind(%x: tensor<256xf32, #x>) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // CHECK: tileas.alloc at 4096 :
  %a = tileas.alloc : !tileas.buffer<256xf32, #b>
  tileas.write %x, %a : tensor<256xf32, #x>, !tileas.buffer<256xf32, #b>
  %0 = tileas.read %a : !tileas.buffer<256xf32, #b> -> tensor<256xf32, #x>
  // CHECK: tileaa.alloca 4096 aligned 256 at 0
  %p = tileaa.alloca 4096 aligned 256
  return
}

// What the tensor memory accelerator copies begins where its swizzles do, however small it is.
#s = #tileas.layout<"{offset: 1 2 4 8 16} -> 32">
#r = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 0 0} -> 32">
// CHECK-LABEL: func.func @by_hardware
// CHECK-SAME: shared_bytes = 1152>
func.func @by_hardware(%x: tensor<32xf32, #r>, %p: i64, %i: index, %d: !tileas.tma_desc) attributes {tileas.cta = #tileas.cta<warps = 4>, tileas.tma_descs = [#tileas.tma_desc<base = arg 1, shape = [32], strides = [1], box = [32], element = f32, swizzle = 16>]} {
  // CHECK: tileas.alloc at 0 :
  // CHECK: tileas.alloc at 1024 :
  %a = tileas.alloc : !tileas.buffer<32xf32, #s>
  %b = tileas.alloc : !tileas.buffer<32xf32, #s>
  tileas.write %x, %a : tensor<32xf32, #r>, !tileas.buffer<32xf32, #s>
  tileas.write %x, %b : tensor<32xf32, #r>, !tileas.buffer<32xf32, #s>
  tileas.tma_store %a, %d[%i] split 0 by 1 : !tileas.buffer<32xf32, #s>
  tileas.tma_store %b, %d[%i] split 0 by 1 : !tileas.buffer<32xf32, #s>
  return
}
