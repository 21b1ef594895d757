// A producer's four warps gather rows by copies of their own, the tensor memory accelerator brings others into the same
// stages, and a warpgroup sums up both. Each line that the kernel cannot do without is left out, or moved, once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 --schedules 100 | FileCheck %s --check-prefix=RESULT
// RUN: grep -v 'COMMIT' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-COMMIT
// RUN: grep -v 'ACQUIRE' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// RUN: grep -v 'GATHER' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-GATHER
// RUN: grep -v 'WAIT' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// RUN: sed -e '/LATE/d' -e 's|// SOON||' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=RELEASED
// The stage is committed before its rows are on their way.
// RUN: sed -e '/BRING/d' -e '/COMMIT/d' -e 's|// HASTY||' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90a --arg arange:5x128 --arg 5 --arg zeros:128 2>&1 | FileCheck %s --check-prefix=EARLY

// RESULT: argument 2: float32 128
// RESULT: 2560. 2570. 2580.

// NO-COMMIT: error: the stage is acquired again: expected a tileas.producer_commit before
// NO-COMMIT: tileas.producer_acquire %ring

// NO-ACQUIRE: error: early write: the producer fills a stage that is not acquired: expected a tileas.producer_acquire before
// NO-ACQUIRE: tileas.async_load_ptr

// NO-GATHER: error: deadlock: warps 0 to 3 wait for stage 0 to be full: 512 bytes of its 1024 are missing, and no copy is in flight
// NO-GATHER: tileas.consumer_wait

// NO-WAIT: error: read before data: warps 0 to 3 read byte 0 of shared memory, which was never written
// NO-WAIT: tileas.read %gathered

// RELEASED: error: early release: warps 0 to 3 read a stage after releasing it: expected the tileas.consumer_release after it
// RELEASED: tileas.read %gathered
// RELEASED: note: released here

// EARLY: error: early write: the producer fills a stage that is not acquired: expected a tileas.producer_acquire before
// EARLY: tileas.async_load_ptr %at into %ring[0]

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>, <128xf32, #shared>]>
module {
  func.func @sum(%x: i64, %n: i32, %y: i64, %map: !tileas.tma_desc) attributes {tileaa.kernel, tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [arg 1, 128], strides = [128, 1], box = [1, 128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 2080>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rowBytes = arith.constant 512 : i64
    %zero = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %t = tileaa.make_token
    %vx = tileaa.make_view %x, shape[], strides[] : <[5, 128], f32, strides = [128, 1]>
    %vy = tileaa.make_view %y, shape[], strides[] : <[128], f32, strides = [1]>
    %count = arith.index_cast %n : i32 to index
    %ring = tileas.create_pipeline of 1 at 0 : !ring
    tileas.agents warps = [4, 4], registers = [0, 0] {
      %r = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<128xf32, #rows>) {
        tileas.consumer_wait %ring : !ring // WAIT
        %gathered = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
        %brought = tileas.consumer_read %ring[1] : !ring -> <128xf32, #shared>
        // SOON tileas.consumer_release %ring : !ring
        %one = tileas.read %gathered : <128xf32, #shared> -> tensor<128xf32, #rows>
        %other = tileas.read %brought : <128xf32, #shared> -> tensor<128xf32, #rows>
        tileas.consumer_release %ring : !ring // LATE
        %both = arith.addf %one, %other : tensor<128xf32, #rows>
        %next = arith.addf %acc, %both : tensor<128xf32, #rows>
        scf.yield %next : tensor<128xf32, #rows>
      }
      %u = tileaa.store_view %r, %vy[%c0] after %t dims [0] : tensor<128xf32, #rows>, <[128], f32, strides = [1]>
    }, {
      %lane = tileaa.iota : tensor<128xi32, #rows>
      %wide = arith.extsi %lane : tensor<128xi32, #rows> to tensor<128xi64, #rows>
      %four = arith.constant dense<4> : tensor<128xi64, #rows>
      %inside = arith.muli %wide, %four : tensor<128xi64, #rows>
      scf.for %i = %c0 to %count step %c1 {
        %number = arith.index_cast %i : index to i64
        %offset = arith.muli %number, %rowBytes : i64
        %begin = arith.addi %x, %offset : i64
        %row = tileaa.broadcast %begin : i64 -> tensor<128xi64, #rows>
        %at = arith.addi %row, %inside : tensor<128xi64, #rows>
        tileas.producer_acquire %ring : !ring // ACQUIRE
        // HASTY tileas.tma_load %map[%i, %c0] into %ring[1] split 1 by 1 : !ring
        // HASTY tileas.producer_commit %ring : !ring
        tileas.async_load_ptr %at into %ring[0] : tensor<128xi64, #rows> -> !ring // GATHER
        tileas.tma_load %map[%i, %c0] into %ring[1] split 1 by 1 : !ring // BRING
        tileas.producer_commit %ring : !ring // COMMIT
      }
    }
    return
  }
}
