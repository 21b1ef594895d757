// A producer's four warps write rows that they hold into the stages of a ring, and a warpgroup sums them up. Each line that
// the kernel cannot do without is left out, once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 --schedules 100 | FileCheck %s --check-prefix=RESULT
// RUN: grep -v 'COMMIT' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-COMMIT
// RUN: grep -v 'ACQUIRE' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// RUN: grep -v 'WRITE' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-WRITE
// RUN: grep -v 'WAIT' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-WAIT

// RESULT: argument 2: float32 128
// RESULT: 1280. 1285. 1290.

// NO-COMMIT: error: deadlock: warps 0 to 3 wait for stage 1 to be full: no actor has acquired it

// NO-ACQUIRE: error: early write: the producer fills a stage that is not acquired: expected a tileas.producer_acquire before
// NO-ACQUIRE: tileas.producer_write

// NO-WRITE: error: deadlock: warps 0 to 3 wait for stage 0 to be full

// NO-WAIT: error: read before data: warps 0 to 3 read byte 0 of shared memory, which was never written

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>
module {
  func.func @sum(%x: i64, %n: i32, %y: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 1056>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %t = tileaa.make_token
    %vx = tileaa.make_view %x, shape[], strides[] : <[5, 128], f32, strides = [128, 1]>
    %vy = tileaa.make_view %y, shape[], strides[] : <[128], f32, strides = [1]>
    %count = arith.index_cast %n : i32 to index
    %ring = tileas.create_pipeline of 1 at 0 : !ring
    tileas.agents warps = [4, 4], registers = [0, 0] {
      %r = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<128xf32, #rows>) {
        tileas.consumer_wait %ring : !ring // WAIT
        %written = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
        %one = tileas.read %written : <128xf32, #shared> -> tensor<128xf32, #rows>
        tileas.consumer_release %ring : !ring
        %next = arith.addf %acc, %one : tensor<128xf32, #rows>
        scf.yield %next : tensor<128xf32, #rows>
      }
      %u = tileaa.store_view %r, %vy[%c0] after %t dims [0] : tensor<128xf32, #rows>, <[128], f32, strides = [1]>
    }, {
      scf.for %i = %c0 to %count step %c1 {
        %row, %u = tileaa.load_view %vx[%i, %c0] dims [1] : <[5, 128], f32, strides = [128, 1]> -> tensor<128xf32, #rows>
        tileas.producer_acquire %ring : !ring // ACQUIRE
        tileas.producer_write %row into %ring[0] : tensor<128xf32, #rows>, !ring // WRITE
        tileas.producer_commit %ring : !ring // COMMIT
      }
    }
    return
  }
}
