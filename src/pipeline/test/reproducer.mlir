// After a crash the module is kept, with the passes that lead to it.
// RUN: rm -rf %t && mkdir %t
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t not tilewright compile %s --crash-in=cpu-place-loads 2>&1 | FileCheck %s
// CHECK: the compiler crashed (signal {{[0-9]+}}), please report the module as a bug (in cpu-place-loads); the module is in [[FILE:.*/tilewright-[0-9a-f]+.mlir]], to see this again: tilewright-opt --run-reproducer [[FILE]] -o /dev/null

// RUN: cat %t/tilewright-*.mlir | FileCheck %s --check-prefix=KEPT
// KEPT: entry @fill
// KEPT: mlir_reproducer: {
// KEPT: cuda-tile-to-tileaa{{.*}}cpu-place-loads
// RUN: tilewright-opt --run-reproducer %t/tilewright-*.mlir | FileCheck %s --check-prefix=AGAIN
// AGAIN: llvm.func @fill
// RUN: tilewright compile %t/tilewright-*.mlir --emit=obj | llvm-nm - | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: T fill

// A module that is refused is no failure of ours.
// RUN: rm -rf %t.none && mkdir %t.none
// RUN: printf 'cuda_tile.module @m {\n  entry @k() { oops }\n}' > %t.none/wrong
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t.none not tilewright compile %t.none/wrong 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED-NOT: to see this again
// RUN: ls %t.none | FileCheck %s --check-prefix=NONE
// NONE-NOT: tilewright-

// Where nothing can be kept, the failure is all there is to say.
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t/missing not tilewright compile %s --crash-in=cpu-plan 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: the compiler crashed (signal {{[0-9]+}}), please report the module as a bug (in cpu-plan){{$}}

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
