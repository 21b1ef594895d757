// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product in tensor memory: A is written by all threads and multiplied by itself, twice. What orders its steps is left
// out, a line at a time.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_100a --arg arange:64x32 --arg zeros:64x64 --schedules 20 | FileCheck %s --check-prefix=RESULT
// RUN: grep -v 'WRITTEN' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_100a --arg arange:64x32 --arg zeros:64x64 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: grep -v 'ENDED' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_100a --arg arange:64x32 --arg zeros:64x64 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// RUN: sed 's|if %no|if %yes|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_100a --arg arange:64x32 --arg zeros:64x64 2>&1 | FileCheck %s --check-prefix=NO-STORE
// RUN: sed 's|// EARLY||' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_100a --arg arange:64x32 --arg zeros:64x64 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: sed 's|// AGAIN||' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_100a --arg arange:64x32 --arg zeros:64x64 2>&1 | FileCheck %s --check-prefix=STILL-LOADED

// RESULT: argument 1: float32 64x64
// RESULT-NEXT: {{[[]+}}2.0832000e+04 5.2576000e+04

// NO-BARRIER: error: read before data: a product reads byte {{.*}} of shared memory
// NO-BARRIER: tileas.tmem_mma
// NO-WAIT: error: read before data: warps 0 to 3 read element 0 of tensor memory without waiting until a product writes it: expected a tileas.tmem_wait between them
// NO-WAIT: tileas.tmem_load
// NO-WAIT: note: written here
// NO-STORE: error: read before data: a product writes element 0 of tensor memory, which was never written
// OVERWRITTEN: error: early write: warps 0 to 3 write byte {{.*}} of shared memory without waiting until a product reads it: expected a tileas.tmem_wait between them
// STILL-LOADED: error: read before data: warps 4 to 7 read element 32 of tensor memory without waiting until a product writes it
// STILL-LOADED: note: written here

#rows = #tileas.layout<"{register: (0,1) (0,2) (0,4), lane: (0,8) (0,16) (1,0) (2,0) (4,0), warp: (8,0) (16,0) (32,0)} -> 64x32">
#shared = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,4) (2,8) (4,16) (8,0) (16,0) (32,0)} -> 64x32">
#across = #tileas.layout<"{offset: (1,0) (2,0) (4,0) (8,0) (16,0) (4,1) (8,2) (16,4) (0,8) (0,16) (0,32)} -> 32x64">
#memory = #tileas.layout<"{row: (1,0) (2,0) (4,0) (8,0) (0,0) (16,0) (32,0), column: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0) (0,32)} -> 64x64">
module {
  func.func @square(%x: i64, %y: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8, shared_bytes = 16400>} {
    %c0 = arith.constant 0 : index
    %no = arith.constant false
    %yes = arith.constant true
    %t = tileaa.make_token
    %tmem = tileas.tmem_alloc at 16384 : <64x64xf32, #memory>
    %vx = tileaa.make_view %x, shape[], strides[] : <[64, 32], f32, strides = [32, 1]>
    %vy = tileaa.make_view %y, shape[], strides[] : <[64, 64], f32, strides = [64, 1]>
    %a = tileas.alloc at 0 : <64x32xf32, #shared>
    %b = tileas.alloc at 8192 : <32x64xf32, #across>
    %tile, %done = tileaa.load_view %vx[%c0, %c0] after %t dims [0, 1] : <[64, 32], f32, strides = [32, 1]> -> tensor<64x32xf32, #rows>
    %turned = tileaa.permute %tile by [1, 0] : tensor<64x32xf32, #rows> -> tensor<32x64xf32, #tileas.layout<"{register: (1,0) (2,0) (4,0), lane: (8,0) (16,0) (0,1) (0,2) (0,4), warp: (0,8) (0,16) (0,32)} -> 32x64">>
    tileas.write %tile, %a : tensor<64x32xf32, #rows>, <64x32xf32, #shared>
    tileas.write %turned, %b : tensor<32x64xf32, #tileas.layout<"{register: (1,0) (2,0) (4,0), lane: (8,0) (16,0) (0,1) (0,2) (0,4), warp: (0,8) (0,16) (0,32)} -> 32x64">>, <32x64xf32, #across>
    tileas.barrier // WRITTEN
    tileas.tmem_mma <tcgen05 m64n64k8> %a, %b, %tmem if %no {format = tf32, running} : <64x32xf32, #shared>, <32x64xf32, #across>, <64x64xf32, #memory>
    tileas.tmem_mma <tcgen05 m64n64k8> %a, %b, %tmem if %yes {format = tf32, running} : <64x32xf32, #shared>, <32x64xf32, #across>, <64x64xf32, #memory>
    // EARLY tileas.write %tile, %a : tensor<64x32xf32, #rows>, <64x32xf32, #shared>
    tileas.tmem_wait %tmem : <64x64xf32, #memory> // ENDED
    %r = tileas.tmem_load %tmem : <64x64xf32, #memory> -> tensor<64x64xf32, #sums>
    // AGAIN tileas.tmem_mma <tcgen05 m64n64k8> %a, %b, %tmem if %yes {format = tf32, running} : <64x32xf32, #shared>, <32x64xf32, #across>, <64x64xf32, #memory>
    tileas.tmem_dealloc %tmem : <64x64xf32, #memory>
    %u = tileaa.store_view %r, %vy[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32, #sums>, <[64, 64], f32, strides = [64, 1]>
    return
  }
}
