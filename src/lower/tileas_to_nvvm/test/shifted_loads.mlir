// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of two bytes that are not aligned, of which a thread holds 8 beside each other: both aligned vectors are
// loaded that have a part of them, and are shifted where they are used.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#wide = #tileas.layout<"{register: 1 2 4, lane: 8 16 32 64 128, warp:} -> 256">
#narrow = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp:} -> 128">

module {
  // CHECK-LABEL: func.func @anywhere
  // CHECK: %[[DISTANCE:.*]] = arith.andi %{{.*}}, %c15_i32 : i32
  // CHECK: %[[FIRST:.*]] = arith.andi %{{.*}}, %c-16_i64 : i64
  // The second vector has none of 16 bytes that are aligned, or of few that are inside.
  // CHECK: %[[END:.*]] = arith.addi %[[DISTANCE]], %{{.*}} : i32
  // CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[END]], %c16_i32 : i32
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: arith.addi %[[FIRST]], %c16_i64 : i64
  // CHECK: %[[WANTED:.*]] = arith.andi %{{.*}}, %[[MORE]] : i1
  // CHECK: arith.select %[[WANTED]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK-NOT: llvm.load
  // Other work comes before the words are picked.
  // CHECK: nvvm.barrier
  // CHECK-COUNT-11: arith.select {{.*}} : i32
  // CHECK-COUNT-4: llvm.intr.fshr
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
  func.func @anywhere(%base: i64, %n: index, %i: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c256 = arith.constant 256 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%n], strides[] : <[?], bf16, strides = [1]>
    %at = arith.muli %i, %c256 : index
    %x, %read = tileaa.load_view %v[%at] after %t dims [0] padding zero : <[?], bf16, strides = [1]> -> tensor<256xbf16, #wide>
    tileas.barrier
    %done = tileaa.store_view %x, %v[%at] after %read dims [0] : tensor<256xbf16, #wide>, <[?], bf16, strides = [1]>
    return
  }

  // All that is known to be inside needs no masks, and its first vector no condition.
  // CHECK-LABEL: func.func @inside
  // CHECK-NOT: llvm.inline_asm {{.*}}shl.b32
  // CHECK: return
  func.func @inside(%base: i64, %n: index, %i: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c256 = arith.constant 256 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%n], strides[] : <[?], bf16, strides = [1]>
    %at = arith.muli %i, %c256 : index
    %x, %read = tileaa.load_view %v[%at] after %t dims [0] {inbounds = array<i1: true>} : <[?], bf16, strides = [1]> -> tensor<256xbf16, #wide>
    %done = tileaa.store_view %x, %v[%at] after %read dims [0] {inbounds = array<i1: true>} : tensor<256xbf16, #wide>, <[?], bf16, strides = [1]>
    return
  }

  // Left alone: boxes that may begin left of the array, where an element behind the first one could be inside; vectors of
  // 8 bytes; elements that are aligned.
  // CHECK-LABEL: func.func @left
  // CHECK-NOT: llvm.intr.fshr
  // CHECK: return
  func.func @left(%base: i64, %n: index, %at: index, %i: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c256 = arith.constant 256 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%n], strides[] : <[?], bf16, strides = [1]>
    %x, %read = tileaa.load_view %v[%at] after %t dims [0] : <[?], bf16, strides = [1]> -> tensor<256xbf16, #wide>
    %corner = arith.muli %i, %c256 : index
    %y, %seen = tileaa.load_view %v[%corner] after %t dims [0] : <[?], bf16, strides = [1]> -> tensor<128xbf16, #narrow>
    %whole = tileaa.assume_div_by %base, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : index
    %w = tileaa.make_view %whole, shape[%nn], strides[] : <[?], bf16, strides = [1]>
    %z, %had = tileaa.load_view %w[%corner] after %t dims [0] : <[?], bf16, strides = [1]> -> tensor<256xbf16, #wide>
    %d0 = tileaa.store_view %x, %w[%corner] after %read dims [0] : tensor<256xbf16, #wide>, <[?], bf16, strides = [1]>
    %d1 = tileaa.store_view %y, %w[%corner] after %seen dims [0] : tensor<128xbf16, #narrow>, <[?], bf16, strides = [1]>
    %d2 = tileaa.store_view %z, %w[%corner] after %had dims [0] : tensor<256xbf16, #wide>, <[?], bf16, strides = [1]>
    return
  }
}
