// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agents that carry their states of a pipeline. Each of the two loops passes on the state before its iteration, once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 --schedules 100 | FileCheck %s --check-prefix=RESULT
// RUN: sed -e 's|yield %%next .*PRODUCER|yield %%s : !tileas.pipeline_state|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=PRODUCED
// RUN: sed -e 's|%%sum, %%next .*|%%sum, %%s : tensor<128xf32, #rows>, !tileas.pipeline_state|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=CONSUMED

// RESULT: argument 2: float32 128
// RESULT: 1280. 1285. 1290.

// PRODUCED: error: is given a state of stage 0 and parity 1, expected stage 1 and parity 1, where the producer is
// PRODUCED: tileas.producer_acquire %ring at %s

// CONSUMED: error: is given a state of stage 0 and parity 0, expected stage 1 and parity 0, where warps 0 to 3 are
// CONSUMED: tileas.consumer_wait %ring at %s

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
!array = !tileaa.view<[5, 128], f32, strides = [128, 1]>
module {
  func.func @sum(%x: i64, %n: i32, %y: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2688>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %t = tileaa.make_token
    %vx = tileaa.make_view %x, shape[], strides[] : !array
    %vy = tileaa.make_view %y, shape[], strides[] : <[128], f32, strides = [1]>
    %count = arith.index_cast %n : i32 to index
    %map = tileas.make_tiled_tma_desc %vx box [1, 128] swizzle 16 : !array
    %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
    tileas.agents warps = [4, 4], registers = [0, 0] {
      %first = tileas.consumer_start %ring : !ring
      %r, %end = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero, %s = %first) -> (tensor<128xf32, #rows>, !tileas.pipeline_state) {
        tileas.consumer_wait %ring at %s : !ring
        %stage = tileas.consumer_read %ring[0] at %s : !ring -> <128xf32, #shared>
        %row = tileas.read %stage : <128xf32, #shared> -> tensor<128xf32, #rows>
        %next = tileas.consumer_release %ring at %s : !ring -> !tileas.pipeline_state
        %sum = arith.addf %acc, %row : tensor<128xf32, #rows>
        scf.yield %sum, %next : tensor<128xf32, #rows>, !tileas.pipeline_state
      }
      %u = tileaa.store_view %r, %vy[%c0] after %t dims [0] : tensor<128xf32, #rows>, <[128], f32, strides = [1]>
    }, {
      %first = tileas.producer_start %ring : !ring
      %end = scf.for %i = %c0 to %count step %c1 iter_args(%s = %first) -> !tileas.pipeline_state {
        tileas.producer_acquire %ring at %s : !ring
        tileas.tma_load %map[%i, %c0] into %ring[0] split 1 by 1 at %s : !ring
        %next = tileas.producer_commit %ring at %s : !ring -> !tileas.pipeline_state
        scf.yield %next : !tileas.pipeline_state // PRODUCER
      }
    }
    return
  }
}
