// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --tileas-write-tma-descs --verify-each | FileCheck %s
// The text can be read again.
// RUN: tilewright-opt %s --split-input-file --tileas-write-tma-descs | tilewright-opt --split-input-file | FileCheck %s

#line = #tileas.layout<"{offset: 1 2 4 8 16 32} -> 64">
!array = !tileaa.view<[?], f32, strides = [1]>
!tile = !tileas.buffer<64xf32, #line>

// What a loop describes is described at the top, once, and another place for what is stored.
// CHECK-LABEL: func.func @copies
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[V:.*]] = tileaa.make_view %{{.*}}, shape[%[[N]]], strides[]
// CHECK: %[[S:.*]] = tileas.alloc : <512xi8
// CHECK: %[[D:.*]]:2 = tileas.write_tma_descs %[[V]], %[[V]] [#tileas.tensor_map<box[64] swizzle 16 of f32>, #tileas.tensor_map<box[64] swizzle 16 of f32 stored true>] by %[[S]]
// CHECK: tileas.agents
// CHECK:   scf.for
// CHECK-NOT: make_tiled_tma_desc
// CHECK:   tileas.tma_store %{{.*}}, %[[D]]#1
// CHECK:   tileas.release_tma_descs %[[D]]#0, %[[D]]#1
// CHECK: }, {
// CHECK:   tileas.tma_load %[[D]]#0
// CHECK:   tileas.tma_load %[[D]]#0
func.func @copies(%p: i64, %n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tileas.create_pipeline of 1 : <2 x [!tileas.buffer<64xf32, #line>]>
  %d = arith.index_cast %n : i32 to index
  %v = tileaa.make_view %p, shape[%d], strides[] : !array
  %first = tileas.make_tiled_tma_desc %v box [64] swizzle 16 : !array
  tileas.agents warps = [4, 4], registers = [0, 0] {
    %b = tileas.alloc : !tile
    scf.for %i = %c0 to %d step %c1 {
      %w = tileaa.make_view %p, shape[%d], strides[] : !array
      %to = tileas.make_tiled_tma_desc %v box [64] swizzle 16 stored : !array
      tileas.tma_store %b, %to[%i] split 0 by 1 : !tile
      tileas.tma_store_wait %b but 0 : !tile
    }
  }, {
    %again = tileas.make_tiled_tma_desc %v box [64] swizzle 16 : !array
    tileas.producer_acquire %ring : <2 x [!tileas.buffer<64xf32, #line>]>
    tileas.tma_load %first[%c0] into %ring[0] split 0 by 1 : <2 x [!tileas.buffer<64xf32, #line>]>
    tileas.producer_commit %ring : <2 x [!tileas.buffer<64xf32, #line>]>
    tileas.producer_acquire %ring : <2 x [!tileas.buffer<64xf32, #line>]>
    tileas.tma_load %again[%c0] into %ring[0] split 0 by 1 : <2 x [!tileas.buffer<64xf32, #line>]>
    tileas.producer_commit %ring : <2 x [!tileas.buffer<64xf32, #line>]>
  }
  return
}

// -----

// Without copies by the tensor memory accelerator nothing is written.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  return
}
