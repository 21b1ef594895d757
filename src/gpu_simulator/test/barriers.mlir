// A tile goes from one layout to another through a buffer, and a second one through the same memory. Each line that the
// kernel cannot do without is left out once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 --schedules 20 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: grep -v 'FIRST' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=EARLY-READ
// RUN: grep -v 'SECOND' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=EARLY-WRITE
// RUN: grep -v 'THIRD' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=OLD-DATA
// RUN: grep -v 'FILLS' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=NO-WRITE
// One buffer where the other still is.
// RUN: sed 's|%%small : <128|%%large : <128|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// What one warp knows alone the others do not do.
// RUN: sed 's|    return|    scf.if %%first { tileas.barrier } return|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=UNEVEN
// Only buffers bring elements to other warps.
// RUN: sed 's|tileas.read %%small .*|tileas.convert_layout %%twice : tensor<128xf32, #rows> -> tensor<128xf32, #columns>|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_80 --arg arange:128 --arg zeros:128 --arg zeros:1 2>&1 | FileCheck %s --check-prefix=NOT-HELD

// RESULT-DAG: schedules: all 1 orders of pipelines
// RESULT: argument 1: float32 128
// RESULT: 0. 3. 6. 9.

// EARLY-READ: {{.*}}:[[#]]:{{.*}} error: read before data: warp 0 reads byte 128 of shared memory, which was never written

// EARLY-WRITE: {{.*}}:[[#]]:{{.*}} error: early write: warp 0 writes byte 4 of shared memory, where warp 1 reads another buffer that is needed until then: expected a tileas.barrier between them
// EARLY-WRITE: {{.*}}:[[#]]:{{.*}} note: read here

// OLD-DATA: {{.*}}:[[#]]:{{.*}} error: overwritten: warp 0 reads byte 128 of shared memory, where another buffer was written since

// NO-WRITE: error: read before data: warp 0 reads byte 0 of shared memory, which was never written

// OVERWRITTEN: {{.*}}:[[#]]:{{.*}} error: overwritten: warp 0 reads byte 0 of shared memory, where another buffer was written since: expected places that do not overlap as long as both are needed
// OVERWRITTEN: {{.*}}:[[#]]:{{.*}} note: written here

// UNEVEN: error: deadlock: warp 0 waits at a tileas.barrier for others to come there
// UNEVEN: note: warp 1 has ended

// NOT-HELD: error: needs element {{[0-9]+}} of its operand, which warp 0 cannot have: expected a tileas.convert_layout before, or a buffer

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#columns = #tileas.layout<"{register:, lane: 4 8 16 32 64, warp: 1 2} -> 128">
#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
module {
  func.func @twice(%x: i64, %y: i64, %z: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 512>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = tileaa.make_token
    %old, %told = tileaa.atomic_rmw addi relaxed %z, %one : i64, i32,
    %first = arith.cmpi eq, %old, %zero : i32
    %vx = tileaa.make_view %x, shape[], strides[] : <[128], f32, strides = [1]>
    %vy = tileaa.make_view %y, shape[], strides[] : <[128], f32, strides = [1]>
    %a, %t0 = tileaa.load_view %vx[%c0] after %t dims [0] : <[128], f32, strides = [1]> -> tensor<128xf32, #rows>
    %twice = arith.addf %a, %a : tensor<128xf32, #rows>
    %large = tileas.alloc at 0 : <128xf32, #shared>
    tileas.write %a, %large : tensor<128xf32, #rows>, <128xf32, #shared> // FILLS
    tileas.barrier // FIRST
    %b = tileas.read %large : <128xf32, #shared> -> tensor<128xf32, #columns>
    %small = tileas.alloc at 0 : <128xf32, #shared>
    tileas.barrier // SECOND
    tileas.write %twice, %small : tensor<128xf32, #rows>, <128xf32, #shared>
    tileas.barrier // THIRD
    %c = tileas.read %small : <128xf32, #shared> -> tensor<128xf32, #columns>
    %sum = arith.addf %b, %c : tensor<128xf32, #columns>
    %u = tileaa.store_view %sum, %vy[%c0] after %t0 dims [0] : tensor<128xf32, #columns>, <[128], f32, strides = [1]>
    return
  }
}
