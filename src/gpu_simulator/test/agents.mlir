// A producer loads rows by the tensor memory accelerator through a ring of two stages, and a warpgroup sums them up. Each
// line that the kernel cannot do without is left out, or moved, once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 --schedules 100 | FileCheck %s --check-prefix=RESULT
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 3 --arg zeros:128 --schedules 1000 2>&1 | FileCheck %s --check-prefix=EVERY
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 --schedules 3 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: grep -v 'COMMIT' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-COMMIT
// RUN: grep -v 'ACQUIRE' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// RUN: grep -v 'LOAD' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-LOAD
// RUN: grep -v 'WAIT' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// RUN: grep -v 'LATE' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-RELEASE
// RUN: sed -e '/LATE/d' -e 's|// SOON||' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=RELEASED
// The ring counts on one warpgroup, and there are two: the producer does not wait for the second.
// RUN: sed -e 's|warps = \[4, 4\]|warps = [8, 4]|' -e 's|warps = 4, threads = 256|warps = 8, threads = 384|' -e 's|warp: 32 64} -> 128|warp: 32 64 0} -> 128|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// The result's buffer lies where copies come.
// RUN: sed -e 's|at 2176|at 0|' -e '/^ *tileas.barrier/d' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=OVERLAP

// EVERY: schedules: all {{[1-9][0-9]+}} orders of pipelines
// SOME: schedules: 3 orders of pipelines, and as many at random

// RESULT: argument 2: float32 128
// RESULT: 1280. 1285. 1290.

// NO-COMMIT: error: the stage is acquired again: expected a tileas.producer_commit before
// NO-COMMIT: tileas.producer_acquire %ring
// NO-COMMIT: note: acquired here

// NO-ACQUIRE: error: early write: the producer fills a stage that is not acquired: expected a tileas.producer_acquire before
// NO-ACQUIRE: tileas.tma_load

// NO-LOAD: error: deadlock: warps 0 to 3 wait for stage 0 to be full: 512 bytes of its 512 are missing, and no copy is in flight
// NO-LOAD: tileas.consumer_wait
// NO-LOAD: note: the producer waits for stage 0 to be empty: 1 of 1 consumers have not released it
// NO-LOAD: tileas.producer_acquire

// NO-WAIT: error: read before data: warps 0 to 3 read byte 0 of shared memory, which was never written
// NO-WAIT: tileas.read %stage

// NO-RELEASE: error: deadlock: the producer waits for stage 0 to be empty: 1 of 1 consumers have not released it
// NO-RELEASE: tileas.producer_acquire

// RELEASED: error: early release: warps 0 to 3 read a stage after releasing it
// RELEASED: tileas.read %stage
// RELEASED: note: released here
// RELEASED: tileas.consumer_release %ring

// TOO-MANY: error: deadlock: warps 0 to 3 wait for stage {{.}} to be full: no actor has acquired it
// TOO-MANY: note: warps 4 to 7 wait

// OVERLAP: error: early release: a copy writes byte 0 of shared memory without waiting until warps 0 to 3 read it: expected the tileas.consumer_release after the read
// OVERLAP: tileas.tma_load
// OVERLAP: note: read here
// OVERLAP: tileas.read %copy

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
module {
  func.func @sum(%x: i64, %n: i32, %y: i64, %map: !tileas.tma_desc) attributes {tileaa.kernel, tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [arg 1, 128], strides = [128, 1], box = [1, 128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2688>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %t = tileaa.make_token
    %vx = tileaa.make_view %x, shape[], strides[] : <[5, 128], f32, strides = [128, 1]>
    %vy = tileaa.make_view %y, shape[], strides[] : <[128], f32, strides = [1]>
    %count = arith.index_cast %n : i32 to index
    %ring = tileas.create_pipeline of 1 at 0 : <2 x [<128xf32, #shared>]>
    tileas.agents warps = [4, 4], registers = [0, 0] {
      %copy = tileas.alloc at 2176 : <128xf32, #shared>
      %r = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<128xf32, #rows>) {
        tileas.consumer_wait %ring : <2 x [<128xf32, #shared>]> // WAIT
        %stage = tileas.consumer_read %ring[0] : <2 x [<128xf32, #shared>]> -> <128xf32, #shared>
        // SOON tileas.consumer_release %ring : <2 x [<128xf32, #shared>]>
        %row = tileas.read %stage : <128xf32, #shared> -> tensor<128xf32, #rows>
        tileas.consumer_release %ring : <2 x [<128xf32, #shared>]> // LATE
        tileas.barrier
        tileas.write %row, %copy : tensor<128xf32, #rows>, <128xf32, #shared>
        tileas.barrier
        %again = tileas.read %copy : <128xf32, #shared> -> tensor<128xf32, #rows>
        %next = arith.addf %acc, %again : tensor<128xf32, #rows>
        scf.yield %next : tensor<128xf32, #rows>
      }
      %u = tileaa.store_view %r, %vy[%c0] after %t dims [0] : tensor<128xf32, #rows>, <[128], f32, strides = [1]>
    }, {
      scf.for %i = %c0 to %count step %c1 {
        tileas.producer_acquire %ring : <2 x [<128xf32, #shared>]> // ACQUIRE
        tileas.tma_load %map[%i, %c0] into %ring[0] split 1 by 1 : <2 x [<128xf32, #shared>]> // LOAD
        tileas.producer_commit %ring : <2 x [<128xf32, #shared>]> // COMMIT
      }
    }
    return
  }
}
