// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --tileas-carry-pipeline-state --verify-each --verify-diagnostics | FileCheck %s

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>

// A loop carries the state, behind its own values. In a branch that advances, the other side leaves the state as it is.
// CHECK-LABEL: func.func @loops
// CHECK: tileas.agents
// CHECK-NEXT: %[[C:.*]] = tileas.consumer_start %[[RING:.*]] :
// CHECK-NEXT: %[[END:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[S:.*]] = %[[C]]) -> (i32, !tileas.pipeline_state)
// CHECK-NEXT:   tileas.consumer_wait %[[RING]] at %[[S]] :
// CHECK-NEXT:   tileas.consumer_read %[[RING]][0] at %[[S]] :
// CHECK-NEXT:   %[[NEXT:.*]] = tileas.consumer_release %[[RING]] at %[[S]] : {{.*}} -> !tileas.pipeline_state
// CHECK-NEXT:   scf.yield %[[X]], %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[BRANCH:.*]] = scf.if %{{.*}} -> (!tileas.pipeline_state) {
// CHECK-NEXT:   tileas.consumer_wait %[[RING]] at %[[END]]#1 :
// CHECK-NEXT:   %[[TAKEN:.*]] = tileas.consumer_release %[[RING]] at %[[END]]#1 :
// CHECK-NEXT:   scf.yield %[[TAKEN]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[END]]#1
// CHECK-NEXT: }
// CHECK-NEXT: tileas.consumer_wait %[[RING]] at %[[BRANCH]] :
// CHECK: }, {
// CHECK-NEXT: %[[P:.*]] = tileas.producer_start %[[RING]] :
// CHECK-NEXT: %{{.*}} = scf.while (%[[S:.*]] = %[[P]]) : (!tileas.pipeline_state) -> !tileas.pipeline_state {
// CHECK:        scf.condition(%{{.*}}) %[[S]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[D:.*]]: !tileas.pipeline_state):
// CHECK-NEXT:   tileas.producer_acquire %[[RING]] at %[[D]] :
// CHECK-NEXT:   tileas.tma_load %{{.*}} into %[[RING]][0] split 0 by 1 at %[[D]] :
// CHECK-NEXT:   %[[N:.*]] = tileas.producer_commit %[[RING]] at %[[D]] :
// CHECK-NEXT:   scf.yield %[[N]]
func.func @loops(%base: i64, %n: index, %if: i1, %x: i32, %p: i64, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tileas.create_pipeline of 1 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> i32 {
      tileas.consumer_wait %ring : !ring
      %a = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
      tileas.consumer_release %ring : !ring
      scf.yield %z : i32
    }
    scf.if %if {
      tileas.consumer_wait %ring : !ring
      tileas.consumer_release %ring : !ring
    }
    tileas.consumer_wait %ring : !ring
    tileas.consumer_release %ring : !ring
  }, {
    scf.while : () -> () {
      %more = arith.cmpi slt, %c0, %n : index
      scf.condition(%more)
    } do {
      tileas.producer_acquire %ring : !ring
      tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 : !ring
      tileas.producer_commit %ring : !ring
      scf.yield
    }
  }
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>

// A loop carries the states of the pipelines that advance in it only; the other one is used from outside. Copies by the
// threads of a producer have its state.
// CHECK-LABEL: func.func @two
// CHECK: %[[A:.*]] = tileas.create_pipeline
// CHECK: %[[B:.*]] = tileas.create_pipeline
// CHECK: %[[SA:.*]] = tileas.consumer_start %[[A]]
// CHECK: %[[SB:.*]] = tileas.consumer_start %[[B]]
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %[[SB]]) -> (!tileas.pipeline_state)
// CHECK:   tileas.consumer_read %[[A]][0] at %[[SA]] :
// CHECK:   tileas.consumer_read %[[B]][0] at %[[S]] :
// CHECK: tileas.consumer_release %[[A]] at %[[SA]] :
// CHECK: tileas.async_load_ptr %{{.*}} into %{{.*}}[0] at %{{.*}} :
func.func @two(%n: index, %addresses: tensor<128xi64, #x>) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %once = tileas.create_pipeline of 1 : <2 x [<128xf32, #shared>]>
  %ring = tileas.create_pipeline of 1 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    tileas.consumer_wait %once : !ring
    scf.for %i = %c0 to %n step %c1 {
      tileas.consumer_wait %ring : !ring
      %a = tileas.consumer_read %once[0] : !ring -> <128xf32, #shared>
      %b = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
      tileas.consumer_release %ring : !ring
    }
    tileas.consumer_release %once : !ring
  }, {
    tileas.producer_acquire %once : !ring
    tileas.async_load_ptr %addresses into %once[0] : tensor<128xi64, #x> -> !ring
    tileas.producer_commit %once : !ring
  }
  return
}

// -----

// All threads name the stage of a pipeline without agents.
#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 0 0} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
// CHECK-LABEL: func.func @threads
// CHECK-NOT: pipeline_state
// CHECK: return
func.func @threads(%addresses: tensor<128xi64, #x>, %stage: i32) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %ring = tileas.create_pipeline of 0 : <2 x [<128xf32, #shared>]>
  tileas.async_load_ptr %addresses into %ring[%stage, 0] : tensor<128xi64, #x> -> !ring
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @elsewhere() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %ring = tileas.create_pipeline of 1 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'scf.execute_region' op advances a pipeline: expected a loop or a branch of scf around it}}
    scf.execute_region {
      tileas.consumer_wait %ring : !ring
      tileas.consumer_release %ring : !ring
      scf.yield
    }
  }, {
  }
  return
}
