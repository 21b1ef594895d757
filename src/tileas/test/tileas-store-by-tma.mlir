// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-store-by-tma='prefer-tma' | FileCheck %s
// What has no accelerator keeps its stores.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-store-by-tma='prefer-tma' | FileCheck %s --check-prefix=OLDER

#x = #tileas.layout<"{register: (0,1) (0,2) (0,4) (16,0) (32,0), lane: (0,8) (0,16) (0,32) (1,0) (2,0), warp: (4,0) (8,0)} -> 64x64">
!tile = tensor<64x64xbf16, #x>

#big = #tileas.layout<"{register: (0,1) (0,2) (0,4) (0,8) (0,16) (16,0) (32,0) (64,0) (128,0), lane: (0,32) (0,64) (0,128) (1,0) (2,0), warp: (4,0) (8,0)} -> 256x256">

module {
  // A tile goes to a swizzled buffer, and from there the accelerator copies it while the threads go on.
  // CHECK-LABEL: func.func @stored
  // CHECK: %[[B:.*]] = tileas.alloc : <64x64xbf16
  // CHECK: %[[MAP:.*]] = tileas.make_tiled_tma_desc %{{.*}} box [64, 64] swizzle 128 stored
  // CHECK: tileas.write %{{.*}}, %[[B]]
  // CHECK-NEXT: tileas.tma_store %[[B]], %[[MAP]][
  // CHECK: tileas.tma_store_wait %[[B]] but 0
  // CHECK-NOT: tileaa.store_view
  // OLDER: func.func @stored
  // OLDER: tileaa.store_view
  func.func @stored(%x: !tile, %out: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %a = tileaa.assume_div_by %out, 16 : i64
    %m = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %m : i32 to index
    %w = tileaa.make_view %a, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %t1 = tileaa.store_view %x, %w[%c0, %c0] after %t dims [0, 1] : !tile, <[?, ?], bf16, strides = [?, 1]>
    return
  }
  // An array whose rows do not begin at multiples of 16 bytes is stored by threads.
  // CHECK-LABEL: func.func @unaligned
  // CHECK: tileaa.store_view
  func.func @unaligned(%x: !tile, %out: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %d = arith.index_cast %n : i32 to index
    %w = tileaa.make_view %out, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %t1 = tileaa.store_view %x, %w[%c0, %c0] after %t dims [0, 1] : !tile, <[?, ?], bf16, strides = [?, 1]>
    return
  }
  // A tile with more than three fifths of a block's shared memory, no part of which is in registers of its own, is stored by
  // threads.
  // CHECK-LABEL: func.func @too_large
  // CHECK-NOT: tileas.alloc
  // CHECK: tileaa.store_view
  func.func @too_large(%x: tensor<256x256xf32, #big>, %out: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %a = tileaa.assume_div_by %out, 16 : i64
    %m = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %m : i32 to index
    %w = tileaa.make_view %a, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
    %t1 = tileaa.store_view %x, %w[%c0, %c0] after %t dims [0, 1] : tensor<256x256xf32, #big>, <[?, ?], f32, strides = [?, 1]>
    return
  }
}
