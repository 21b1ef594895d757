// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: 1 2 4, lane: 8 16 32 64 128, warp: 256 512} -> 1024">
!idx = tensor<1024xi64, #x>
!small = tensor<1024xi32, #x>
!mask = tensor<1024xi1, #x>
!f32 = tensor<1024xf32, #x>
!f16 = tensor<1024xf16, #x>
module {
  // Data that caches evict first: the instructions have the policy.
  // CHECK-LABEL: func.func @streamed
  // CHECK: llvm.inline_asm {{.*}}ld.global.cs.b32
  // CHECK: llvm.inline_asm {{.*}}st.global.cs.b32
  func.func @streamed(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %address = tileaa.broadcast %p : i64 -> !idx
    %v, %t = tileaa.load_ptr %address cache streaming : !idx, -> !f32
    %t1 = tileaa.store_ptr %address, %v after %t cache streaming : !idx, !f32,
    return
  }

  // Neighbours by iota, aligned because 16 divides the base and 1024 the block's place; the mask is equal in fours as 4
  // divides %n: two vectors of four f32 each way.
  // CHECK-LABEL: func.func @neighbours
  // CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK: arith.select {{.*}} : f32
  // CHECK-COUNT-2: llvm.inline_asm {{.*}} "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
  // CHECK-NOT: st.global
  func.func @neighbours(%p: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %base = tileaa.assume_div_by %p, 16 : i64
    %m = tileaa.assume_div_by %n, 4 : i32
    %x, %y, %z = tileaa.block_id
    %c1024 = arith.constant 1024 : i32
    %start = arith.muli %x, %c1024 : i32
    %i = tileaa.iota : !small
    %s = tileaa.broadcast %start : i32 -> !small
    %index = arith.addi %s, %i : !small
    %end = tileaa.broadcast %m : i32 -> !small
    %mask = arith.cmpi slt, %index, %end : !small
    %wide = arith.extsi %index : !small to !idx
    %c4 = arith.constant dense<4> : !idx
    %bytes = arith.muli %wide, %c4 : !idx
    %b = tileaa.broadcast %base : i64 -> !idx
    %address = arith.addi %b, %bytes : !idx
    %one = arith.constant dense<1.0> : !f32
    %v, %t = tileaa.load_ptr %address mask %mask padding %one : !f32 : !idx, !mask -> !f32
    %t1 = tileaa.store_ptr %address, %v mask %mask after %t : !idx, !f32, !mask
    return
  }

  // Zeros for padding are what the load finds where the mask is false.
  // CHECK-LABEL: func.func @zeros
  // CHECK: arith.select {{.*}} : !llvm.ptr<1>
  // CHECK: llvm.load
  // CHECK-NOT: arith.select {{.*}} : f32
  func.func @zeros(%p: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %address = tileaa.broadcast %p : i64 -> !idx
    %i = tileaa.iota : !small
    %end = tileaa.broadcast %n : i32 -> !small
    %mask = arith.cmpi slt, %i, %end : !small
    %zero = arith.constant dense<0.0> : !f32
    %v, %t = tileaa.load_ptr %address mask %mask padding %zero : !f32 : !idx, !mask -> !f32
    %t1 = tileaa.store_ptr %address, %v mask %mask after %t : !idx, !f32, !mask
    return
  }

  // Addresses that a loop moves on by a multiple of 16 bytes.
  // CHECK-LABEL: func.func @moving
  // CHECK: scf.for
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
  // CHECK-NOT: llvm.load
  func.func @moving(%p: i64, %n: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %base = tileaa.assume_div_by %p, 16 : i64
    %i = tileaa.iota : !idx
    %c2 = arith.constant dense<2> : !idx
    %step = arith.constant dense<2048> : !idx
    %bytes = arith.muli %i, %c2 : !idx
    %b = tileaa.broadcast %base : i64 -> !idx
    %address = arith.addi %b, %bytes : !idx
    %zero = arith.constant dense<0.0> : !f16
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %address, %sum = %zero) -> (!idx, !f16) {
      %v, %t = tileaa.load_ptr %a : !idx, -> !f16
      %next = arith.addi %a, %step : !idx
      %more = arith.addf %sum, %v : !f16
      scf.yield %next, %more : !idx, !f16
    }
    %t1 = tileaa.store_ptr %address, %r#1 : !idx, !f16,
    return
  }

  // By a number that nothing is known of: one element at a time. So it is where a mask ends anywhere.
  // CHECK-LABEL: func.func @anywhere
  // CHECK-COUNT-8: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // CHECK-COUNT-8: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // CHECK-NOT: llvm.load
  func.func @anywhere(%p: i64, %q: i64, %n: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %base = tileaa.assume_div_by %p, 16 : i64
    %i = tileaa.iota : !idx
    %c4 = arith.constant dense<4> : !idx
    %bytes = arith.muli %i, %c4 : !idx
    %b0 = tileaa.broadcast %q : i64 -> !idx
    %far = arith.addi %b0, %bytes : !idx
    %v, %t = tileaa.load_ptr %far : !idx, -> !f32
    %b1 = tileaa.broadcast %base : i64 -> !idx
    %near = arith.addi %b1, %bytes : !idx
    %end = tileaa.broadcast %n : i64 -> !idx
    %mask = arith.cmpi slt, %i, %end : !idx
    %w, %t1 = tileaa.load_ptr %near mask %mask : !idx, !mask -> !f32
    %sum = arith.addf %v, %w : !f32
    %t2 = tileaa.store_ptr %near, %sum : !idx, !f32,
    return
  }

  // Scalars: every thread loads, one stores.
  // CHECK-LABEL: func.func @scalar
  // CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
  // CHECK: llvm.inline_asm {{.*}} "@$0 st.global.b32 [$1], $2;", "b,l,r,~{memory}" %[[FIRST]]
  func.func @scalar(%p: i64, %q: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %v, %t = tileaa.load_ptr %p : i64, -> f32
    %t1 = tileaa.store_ptr %q, %v after %t : i64, f32,
    return
  }
}
