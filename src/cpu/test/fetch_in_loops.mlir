// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v3 --cpu-place-loads --cpu-verify-loads --verify-each | FileCheck %s

!rows = !tileaa.view<[128, 4096], f32, strides = [4096, 1]>

// Pieces of a row: each is fetched of the next block's row where this one's result is stored. The loop that only reads
// fetches nothing, since it would be the same lines.
// CHECK-LABEL: func.func @pieces
// CHECK: scf.for
// CHECK-NOT: cpu.fetch
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK: %[[LATER:.*]] = arith.addi %x, %c1_i32
// CHECK: %[[ROW:.*]] = arith.index_cast %[[LATER]]
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %c4096
// CHECK: linalg.generic {{.*}} {cpu.fetch = #cpu.fetch<1>{{.*}}}
func.func @pieces(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %vx = tileaa.make_view %x, shape [], strides [] : !rows
  %vy = tileaa.make_view %y, shape [], strides [] : !rows
  %bx, %by, %bz = tileaa.block_id
  %row = arith.index_cast %bx : i32 to index
  %total = scf.for %j = %c0 to %c4096 step %c1024 iter_args(%sum = %zero) -> f32 {
    %tile, %t0 = tileaa.load_view %vx[%row, %j] dims [1] {inbounds = array<i1: true, true>} : !rows -> tensor<1024xf32>
    %part = tileaa.reduce %tile from %zero along 0 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } : (tensor<1024xf32>, f32) -> f32
    %next = arith.addf %sum, %part : f32
    scf.yield %next : f32
  }
  %all = tileaa.broadcast %total : f32 -> tensor<1024xf32>
  scf.for %j = %c0 to %c4096 step %c1024 {
    %tile, %t0 = tileaa.load_view %vx[%row, %j] dims [1] {inbounds = array<i1: true, true>} : !rows -> tensor<1024xf32>
    %scaled = arith.mulf %tile, %all : tensor<1024xf32>
    %t1 = tileaa.store_view %scaled, %vy[%row, %j] dims [1] {inbounds = array<i1: true, true>} : tensor<1024xf32>, !rows
  }
  return
}

// A block that stays fetches what its next iteration loads, which is far away.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] {
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: arith.muli %[[NEXT]], %c4096
// CHECK: linalg.generic {{.*}} {cpu.fetch = #cpu.fetch<1>{{.*}}}
func.func @stays(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %vx = tileaa.make_view %x, shape [], strides [] : !rows
  %vy = tileaa.make_view %y, shape [], strides [] : !rows
  %bx, %by, %bz = tileaa.block_id
  %nx, %ny, %nz = tileaa.num_blocks
  %from = arith.index_cast %bx : i32 to index
  %step = arith.index_cast %nx : i32 to index
  scf.for %i = %from to %c128 step %step {
    %tile, %t0 = tileaa.load_view %vx[%i, %c0] dims [1] {inbounds = array<i1: true, true>} : !rows -> tensor<4096xf32>
    %sum = arith.addf %tile, %tile : tensor<4096xf32>
    %t1 = tileaa.store_view %sum, %vy[%i, %c0] dims [1] {inbounds = array<i1: true, true>} : tensor<4096xf32>, !rows
  }
  return
}

// Rows that follow each other come by themselves.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-NOT: cpu.fetch
func.func @one_after_the_other(%x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %vx = tileaa.make_view %x, shape [], strides [] : !rows
  %vy = tileaa.make_view %y, shape [], strides [] : !rows
  scf.for %i = %c0 to %c128 step %c1 {
    %tile, %t0 = tileaa.load_view %vx[%i, %c0] dims [1] {inbounds = array<i1: true, true>} : !rows -> tensor<4096xf32>
    %sum = arith.addf %tile, %tile : tensor<4096xf32>
    %t1 = tileaa.store_view %sum, %vy[%i, %c0] dims [1] {inbounds = array<i1: true, true>} : tensor<4096xf32>, !rows
  }
  return
}
