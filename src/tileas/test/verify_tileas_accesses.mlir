// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: barriers between accesses of different threads, and waits for what runs on behind its operation.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --verify-tileas --split-input-file --verify-diagnostics

#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!shared = !tileas.buffer<128xi32, #shared>
func.func @read() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 1024>} {
  %x = tileaa.iota : tensor<128xi32, #x>
  %a = tileas.alloc at 0 : <128xi32, #shared>
  %b = tileas.alloc at 512 : <128xi32, #shared>
  // expected-note@+1 {{the earlier access}}
  tileas.write %x, %a : tensor<128xi32, #x>, !shared
  tileas.write %x, %b : tensor<128xi32, #x>, !shared
  // expected-error@+1 {{'tileas.read' op breaks the rule 'barrier': depends on an access of other threads without a barrier between them}}
  %y = tileas.read %a : !shared -> tensor<128xi32, #x>
  tileas.barrier
  %z = tileas.read %b : !shared -> tensor<128xi32, #x>
  return
}

// -----

// Other buffers at the same place, and the next iteration of a loop.
#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!shared = !tileas.buffer<128xi32, #shared>
func.func @reuse(%n: index) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 512>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tileaa.iota : tensor<128xi32, #x>
  scf.for %i = %c0 to %n step %c1 {
    %a = tileas.alloc at 0 : <128xi32, #shared>
    // expected-error@+1 {{'tileas.write' op breaks the rule 'barrier'}}
    tileas.write %x, %a : tensor<128xi32, #x>, !shared
    tileas.barrier
    // expected-note@+1 {{the earlier access}}
    %y = tileas.read %a : !shared -> tensor<128xi32, #x>
  }
  %b = tileas.alloc at 0 : <128xi32, #shared>
  // expected-error@+1 {{'tileas.write' op breaks the rule 'barrier'}}
  tileas.write %x, %b : tensor<128xi32, #x>, !shared
  return
}

// -----

// A barrier on one of two paths.
#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!shared = !tileas.buffer<128xi32, #shared>
func.func @branch(%if: i1) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 512>} {
  %x = tileaa.iota : tensor<128xi32, #x>
  %a = tileas.alloc at 0 : <128xi32, #shared>
  // expected-note@+1 {{the earlier access}}
  tileas.write %x, %a : tensor<128xi32, #x>, !shared
  scf.if %if {
    tileas.barrier
  }
  // expected-error@+1 {{'tileas.read' op breaks the rule 'barrier'}}
  %y = tileas.read %a : !shared -> tensor<128xi32, #x>
  return
}

// -----

// Boxes are stored by two buffers in turn: each is waited for, and then a barrier lets all threads write.
#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!shared = !tileas.buffer<128xi32, #shared>
func.func @stores(%base: i64, %n: index, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, shared_bytes = 2560>} {
  %c0 = arith.constant 0 : index
  %x = tileaa.iota : tensor<128xi32, #x>
  %a = tileas.alloc at 0 : <128xi32, #shared>
  %b = tileas.alloc at 1024 : <128xi32, #shared>
  %c = tileas.alloc at 2048 : <128xi32, #shared>
  tileas.write %x, %a : tensor<128xi32, #x>, !shared
  tileas.write %x, %b : tensor<128xi32, #x>, !shared
  tileas.barrier
  // expected-note@+1 {{the earlier access}}
  tileas.tma_store %a, %map[%c0] split 0 by 1 : !shared
  tileas.tma_store_wait %a, %b but 1 : !shared, !shared
  tileas.barrier
  // expected-error@+1 {{'tileas.write' op breaks the rule 'asynchronous-read': writes a buffer that is still read by a copy or a product}}
  tileas.write %x, %a : tensor<128xi32, #x>, !shared
  tileas.barrier
  tileas.tma_store %b, %map[%c0] split 0 by 1 : !shared
  // expected-error@+1 {{'tileas.tma_store' op breaks the rule 'asynchronous-read': starts copies that the kernel does not wait for before it ends}}
  tileas.tma_store %c, %map[%c0] split 0 by 1 : !shared
  tileas.tma_store_wait %b, %c but 1 : !shared, !shared
  tileas.barrier
  tileas.write %x, %b : tensor<128xi32, #x>, !shared
  return
}

// -----

// A product that runs on reads its buffers until it is waited for, by all warpgroups.
#left = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
!tile = !tileas.buffer<64x64xf16, #left>
!sums = tensor<64x64xf32, #sums>
func.func @products() attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 16384>} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16, #sums>
  %zero = arith.constant dense<0.0> : !sums
  %a = tileas.alloc at 0 : <64x64xf16, #left>
  %b = tileas.alloc at 8192 : <64x64xf16, #left>
  tileas.write %x, %a : tensor<64x64xf16, #sums>, !tile
  tileas.write %x, %b : tensor<64x64xf16, #sums>, !tile
  tileas.barrier
  %0 = tileas.mma <wgmma m64n64k16> %a, %a, %zero {running} : !tile, !tile, !sums
  // expected-note@+1 {{the earlier access}}
  %1 = tileas.mma <wgmma m64n64k16> %b, %b, %zero {running} : !tile, !tile, !sums
  %2 = tileas.mma_wait %0 but 1 : !sums
  tileas.barrier
  tileas.write %x, %a : tensor<64x64xf16, #sums>, !tile
  // expected-error@+1 {{'tileas.write' op breaks the rule 'asynchronous-read': writes a buffer that is still read by a copy or a product}}
  tileas.write %x, %b : tensor<64x64xf16, #sums>, !tile
  %3 = tileas.mma_wait %1 : !sums
  return
}

// -----

// Copies of threads form a group, which is waited for before a stage is read.
#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
!view = !tileaa.view<[128], f32, strides = [1]>
func.func @copies(%p: i64) attributes {tileas.cta = #tileas.cta<warps = 4, shared_bytes = 2080>} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  %v = tileaa.make_view %p, shape[], strides[] : !view
  %ring = tileas.create_pipeline of 0 at 0 : <2 x [<128xf32, #shared>]>
  tileas.async_load %v[%c0] dims [0] into %ring[%s, 0] by #x : !view, !ring
  tileas.async_commit
  %a = tileas.stage %ring[%s, 0] : !ring -> <128xf32, #shared>
  // expected-error@+1 {{'tileas.read' op breaks the rule 'asynchronous-copy': reads a stage whose copies no tileas.async_wait has waited for}}
  %y = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
  tileas.async_wait %ring, 0 : !ring
  %z = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
  // expected-error@+1 {{'tileas.async_load' op breaks the rule 'asynchronous-copy': starts copies that no tileas.async_commit makes a group of before the next wait}}
  tileas.async_load %v[%c0] dims [0] into %ring[%s, 0] by #x : !view, !ring
  tileas.async_wait %ring, 0 : !ring
  return
}

// -----

// Tokens order accesses of global memory, by threads that have other elements; orderings order all of them.
#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#y = #tileas.layout<"{register:, lane: 4 8 16 32 64, warp: 1 2} -> 128">
!view = !tileaa.view<[128], i32, strides = [1]>
func.func @global(%p: i64, %q: i64, %one: i32) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %t = tileaa.make_token
  %x = tileaa.iota : tensor<128xi32, #x>
  %v = tileaa.make_view %p, shape[], strides[] : !view
  // expected-note@+1 {{the earlier access}}
  %u = tileaa.store_view %x, %v[%c0] after %t dims [0] : tensor<128xi32, #x>, !view
  %own, %w = tileaa.load_view %v[%c0] after %u dims [0] : !view -> tensor<128xi32, #x>
  %unordered, %w0 = tileaa.load_view %v[%c0] after %t dims [0] : !view -> tensor<128xi32, #y>
  // expected-error@+1 {{'tileaa.load_view' op breaks the rule 'global-order': comes after an access of other threads to global memory without a barrier between them}}
  %other, %w1 = tileaa.load_view %v[%c0] after %u dims [0] : !view -> tensor<128xi32, #y>
  tileas.barrier
  // expected-note@+1 {{the earlier access}}
  %again, %w2 = tileaa.load_view %v[%c0] after %u dims [0] : !view -> tensor<128xi32, #y>
  // expected-error@+1 {{'tileaa.atomic_rmw' op breaks the rule 'global-order'}}
  %old, %w3 = tileaa.atomic_rmw addi release %q, %one : i64, i32,
  return
}
