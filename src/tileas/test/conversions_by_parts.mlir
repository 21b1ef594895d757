// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What needs more shared memory than a block has goes through less of it.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_120},func.func(tileas-materialize-convert-layout,tileas-allocate-shared))' --split-input-file --verify-each | FileCheck %s
// RUN: tilewright-opt %s --tilewright-final=arch=sm_90 --split-input-file --verify-each | FileCheck %s --check-prefix=LARGE
// RUN: tilewright-opt %s --tilewright-final=arch=sm_120 --tileas-to-nvvm --split-input-file --verify-each | FileCheck %s --check-prefix=CODE

// 128 KB, by rows and by columns: two parts of 64 KB, each in registers of its own in both layouts.
#rows = #tileas.layout<"{register: (0,1) (0,2) (8,0) (16,0) (32,0) (64,0) (128,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (1,0) (2,0) (4,0)} -> 256x128">
#columns = #tileas.layout<"{register: (1,0) (2,0) (128,0) (0,8) (0,16) (0,32) (0,64), lane: (4,0) (8,0) (16,0) (32,0) (64,0), warp: (0,1) (0,2) (0,4)} -> 256x128">

// CHECK-LABEL: func.func @turn
// CHECK-SAME: shared_bytes = 65536>
// CHECK: %[[A:.*]] = tileaa.extract %{{.*}}[%c0, %c0
// CHECK: %[[BUFFER:.*]] = tileas.alloc at 0 : <128x128xf32
// CHECK: tileas.write %[[A]], %[[BUFFER]]
// CHECK: tileas.read %[[BUFFER]]
// CHECK: tileaa.insert
// CHECK: tileaa.extract %{{.*}}[%c128
// CHECK: tileas.alloc at 0 : <128x128xf32
// CHECK: tileaa.insert
// CHECK-NOT: tileaa.extract
// LARGE-LABEL: func.func @turn
// LARGE-SAME: shared_bytes = 131072>
// LARGE-NOT: tileaa.extract
// CODE-LABEL: func.func @turn
// CODE: nvvm.barrier
// CODE: nvvm.barrier
// CODE: nvvm.barrier
// CODE-NOT: nvvm.barrier
// CODE: return
func.func @turn(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8>} {
  %from = tileaa.broadcast %p : i64 -> tensor<256x128xi64, #rows>
  %x, %t = tileaa.load_ptr %from : tensor<256x128xi64, #rows>, -> tensor<256x128xf32, #rows>
  %y = tileas.convert_layout %x : tensor<256x128xf32, #rows> -> tensor<256x128xf32, #columns>
  %to = tileaa.broadcast %p : i64 -> tensor<256x128xi64, #columns>
  %t1 = tileaa.store_ptr %to, %y after %t : tensor<256x128xi64, #columns>, tensor<256x128xf32, #columns>,
  return
}

// -----

// 128 KB whose halves along either dimension are of different warps: the tile takes a shape with a dimension for what
// each thread has in registers, and its parts are of that one.
#quarters = #tileas.layout<"{register: (0,1) (0,2) (1,0) (2,0) (4,0) (8,0) (16,0), lane: (0,4) (0,8) (0,16) (0,32) (32,0), warp: (0,64) (64,0) (128,0)} -> 256x128">
#turned = #tileas.layout<"{register: (1,0) (2,0) (0,1) (0,2) (0,4) (0,8) (0,16), lane: (4,0) (8,0) (16,0) (32,0) (0,32), warp: (64,0) (0,64) (128,0)} -> 256x128">

// CHECK-LABEL: func.func @turn_quarters
// CHECK: shared_bytes = 65536>
// CHECK: tileaa.reshape %{{.*}} : tensor<256x128xf32, {{.*}}> -> tensor<
// CHECK: tileaa.extract
// CHECK: tileas.write
// CHECK: tileas.read
// CHECK: tileaa.insert
// CHECK: tileaa.insert
// CHECK: tileaa.reshape %{{.*}} -> tensor<256x128xf32,
// LARGE-LABEL: func.func @turn_quarters
// LARGE-NOT: tileaa.extract
// CODE-LABEL: func.func @turn_quarters
// CODE-COUNT-3: nvvm.barrier
// CODE: return
func.func @turn_quarters(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8>} {
  %from = tileaa.broadcast %p : i64 -> tensor<256x128xi64, #quarters>
  %x, %t = tileaa.load_ptr %from : tensor<256x128xi64, #quarters>, -> tensor<256x128xf32, #quarters>
  %y = tileas.convert_layout %x : tensor<256x128xf32, #quarters> -> tensor<256x128xf32, #turned>
  %to = tileaa.broadcast %p : i64 -> tensor<256x128xi64, #turned>
  %t1 = tileaa.store_ptr %to, %y after %t : tensor<256x128xi64, #turned>, tensor<256x128xf32, #turned>,
  return
}

// -----

// Buffers of 64 KB that products share: %a is written again for its second use.
#x = #tileas.layout<"{register: (0,1) (0,2) (8,0) (16,0) (32,0) (64,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (1,0) (2,0) (4,0)} -> 128x128">
#b = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0)} -> 128x128">

// CHECK-LABEL: func.func @shared_operand
// CHECK-SAME: shared_bytes = 65536>
// CHECK-COUNT-3: tileas.write
// CHECK-NOT: tileas.write
// LARGE-LABEL: func.func @shared_operand
// LARGE-SAME: shared_bytes = 131072>
// LARGE-COUNT-2: tileas.write
// LARGE-NOT: tileas.write
// CODE-LABEL: func.func @shared_operand
func.func @shared_operand(%p: i64, %q: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8>} {
  %ps = tileaa.broadcast %p : i64 -> tensor<128x128xi64, #x>
  %qs = tileaa.broadcast %q : i64 -> tensor<128x128xi64, #x>
  %x, %t = tileaa.load_ptr %ps : tensor<128x128xi64, #x>, -> tensor<128x128xf32, #x>
  %y, %u = tileaa.load_ptr %qs : tensor<128x128xi64, #x>, -> tensor<128x128xf32, #x>
  %a = tileas.alloc : !tileas.buffer<128x128xf32, #b>
  tileas.write %x, %a : tensor<128x128xf32, #x>, !tileas.buffer<128x128xf32, #b>
  %0 = tileas.read %a : !tileas.buffer<128x128xf32, #b> -> tensor<128x128xf32, #x>
  %c = tileas.alloc : !tileas.buffer<128x128xf32, #b>
  tileas.write %y, %c : tensor<128x128xf32, #x>, !tileas.buffer<128x128xf32, #b>
  %1 = tileas.read %c : !tileas.buffer<128x128xf32, #b> -> tensor<128x128xf32, #x>
  %2 = tileas.read %a : !tileas.buffer<128x128xf32, #b> -> tensor<128x128xf32, #x>
  %3 = arith.addf %0, %1 : tensor<128x128xf32, #x>
  %4 = arith.addf %3, %2 : tensor<128x128xf32, #x>
  %v = tileaa.store_ptr %ps, %4 after %t : tensor<128x128xi64, #x>, tensor<128x128xf32, #x>,
  return
}
