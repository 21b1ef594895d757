// RUN: tilewright compile %s --emit=obj -o %t.o --dump-after=cuda-tile-to-tileaa 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tilewright compile %s --emit=obj -o %t.o --dump-after=all 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: tilewright compile %s --emit=obj -o %t.o --print-before-all 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: tilewright compile %s --emit=obj -o %t.o --timing 2>&1 | FileCheck %s --check-prefix=TIMING

// ONE: IR Dump After {{.*}} (cuda-tile-to-tileaa)
// ONE: func.func @fill
// ONE-NOT: IR Dump
// ALL: IR Dump After {{.*}} (cuda-tile-to-tileaa)
// ALL: IR Dump After {{.*}} (tileaa-to-linalg)
// BEFORE: IR Dump Before {{.*}} (cuda-tile-to-tileaa)
// BEFORE: IR Dump Before {{.*}} (tileaa-to-linalg)
// BEFORE: IR Dump Before InlinerPass
// BEFORE: define {{.*}}@fill
// BEFORE: IR Dump Before InstCombinePass
// BEFORE-NEXT: define
// BEFORE-NOT: PassManager
// TIMING: Execution time report
// TIMING-DAG: cuda_tile to tileaa
// TIMING-DAG: LLVM optimizer
// TIMING-DAG: code generation
// TIMING-NOT: Execution time report

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
