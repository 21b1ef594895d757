// After a failure of the compiler the module is kept, and the command that shows it again.
// RUN: rm -rf %t && mkdir %t
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t not tilewright compile %s --fail-in=crash:cpu-place-loads 2>&1 | FileCheck %s
// CHECK: the compiler crashed (signal {{[0-9]+}}), please report the module as a bug (in cpu-place-loads on function 'fill'); the module is in [[FILE:.*/tilewright-[0-9a-f]+.mlir]], to see this again: tilewright compile [[FILE]] --target=cpu:host --emit=obj --opt-level=1 '--fail-in=crash:cpu-place-loads' -o /dev/null

// RUN: cat %t/tilewright-*.mlir | FileCheck %s --check-prefix=KEPT
// KEPT: entry @fill
// KEPT: loc("{{.*}}reproducer.mlir"
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t/missing not tilewright compile %t/tilewright-*.mlir --fail-in=crash:cpu-place-loads 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: (in cpu-place-loads on function 'fill')
// RUN: tilewright compile %t/tilewright-*.mlir --emit=obj | llvm-nm - | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: T fill

// What was asked for is in the command.
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=plan -o %t/edited
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t not tilewright compile %s --target=cpu:x86-64-v3 --emit=asm --opt-level=2 --time-limit=7.5 --plan=%t/edited --fail-in=fatal:cpu-host-calls 2>&1 | FileCheck %s --check-prefix=COMMAND
// COMMAND: the compiler failed: planted (in cpu-host-calls); the module is in [[FILE:.*]], to see this again: tilewright compile [[FILE]] --target=cpu:x86-64-v3 --emit=asm --opt-level=2 --plan=[[FILE]].plan --time-limit=7.50 '--fail-in=fatal:cpu-host-calls' -o /dev/null
// RUN: diff %t/edited %t/tilewright-*.plan

// A module that is refused is no failure of ours.
// RUN: rm -rf %t.none && mkdir %t.none
// RUN: printf 'cuda_tile.module @m {\n  entry @k() { oops }\n}' > %t.none/wrong
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t.none not tilewright compile %t.none/wrong 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED-NOT: to see this again
// RUN: ls %t.none | FileCheck %s --check-prefix=NONE
// NONE-NOT: tilewright-

// Where nothing can be kept, the failure is all there is to say.
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t/missing not tilewright compile %s --fail-in=crash:cpu-plan 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: the compiler crashed (signal {{[0-9]+}}), please report the module as a bug (in cpu-plan on function 'fill'){{$}}

cuda_tile.module @kernels {
  entry @fill(%out: tile<ptr<f32>>, %n: tile<i32>) {
    %token = make_token : token
    %view = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %tiles = make_partition_view %view : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %value = constant <f32: 2.5> : tile<16xf32>
    %done = store_view_tko weak %value, %tiles[%x] token = %token : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
