// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: the states that agents carry. Legal ones are those of tileas-carry-pipeline-state.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --verify-tileas --split-input-file --verify-diagnostics

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @operations(%base: i64, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 4128>} {
  %c0 = arith.constant 0 : index
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    // expected-error@+1 {{'tileas.consumer_wait' op breaks the rule 'pipeline-state': has no state, expected one from tileas-carry-pipeline-state}}
    tileas.consumer_wait %ring : !ring
    tileas.consumer_release %ring : !ring
    tileas.consumer_wait %ring : !ring
    tileas.consumer_release %ring : !ring
  }, {
    %0 = tileas.producer_start %ring : !ring
    tileas.producer_acquire %ring at %0 : !ring
    tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 at %0 : !ring
    %1 = tileas.producer_commit %ring at %0 : !ring -> !tileas.pipeline_state
    // expected-error@+1 {{'tileas.producer_acquire' op breaks the rule 'pipeline-state': has another state than the path to it leaves}}
    tileas.producer_acquire %ring at %0 : !ring
    tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 at %1 : !ring
    %2 = tileas.producer_commit %ring at %1 : !ring -> !tileas.pipeline_state
  }
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @loop(%base: i64, %n: index, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 4128>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    %0 = tileas.consumer_start %ring : !ring
    // expected-error@+1 {{'scf.for' op breaks the rule 'pipeline-state': does not carry the state that an iteration leaves}}
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%s = %0) -> !tileas.pipeline_state {
      tileas.consumer_wait %ring at %s : !ring
      %next = tileas.consumer_release %ring at %s : !ring -> !tileas.pipeline_state
      scf.yield %s : !tileas.pipeline_state
    }
  }, {
    %0 = tileas.producer_start %ring : !ring
    // expected-error@+1 {{'scf.while' op breaks the rule 'pipeline-state': does not carry the state that an iteration leaves}}
    %end = scf.while (%s = %0) : (!tileas.pipeline_state) -> !tileas.pipeline_state {
      %more = arith.cmpi slt, %c0, %n : index
      scf.condition(%more) %s : !tileas.pipeline_state
    } do {
    ^bb0(%s: !tileas.pipeline_state):
      tileas.producer_acquire %ring at %s : !ring
      tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 at %s : !ring
      %next = tileas.producer_commit %ring at %s : !ring -> !tileas.pipeline_state
      scf.yield %0 : !tileas.pipeline_state
    }
  }
  return
}

// -----

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
func.func @branch(%base: i64, %if: i1, %map: !tileas.tma_desc) attributes {tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 4128>} {
  %c0 = arith.constant 0 : index
  %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [4, 4], registers = [0, 0] {
    %0 = tileas.consumer_start %ring : !ring
    // expected-error@+1 {{'scf.if' op breaks the rule 'pipeline-state': does not return the state that each of its sides leaves}}
    scf.if %if {
      tileas.consumer_wait %ring at %0 : !ring
      %next = tileas.consumer_release %ring at %0 : !ring -> !tileas.pipeline_state
    }
  }, {
    %0 = tileas.producer_start %ring : !ring
    %end = scf.if %if -> !tileas.pipeline_state {
      tileas.producer_acquire %ring at %0 : !ring
      tileas.tma_load %map[%c0] into %ring[0] split 0 by 1 at %0 : !ring
      %next = tileas.producer_commit %ring at %0 : !ring -> !tileas.pipeline_state
      scf.yield %next : !tileas.pipeline_state
    } else {
      scf.yield %0 : !tileas.pipeline_state
    }
  }
  return
}
