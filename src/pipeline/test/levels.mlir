// Every level can be asked for, for every machine.
// RUN: tilewright compile %s --emit=cuda_tile | FileCheck %s --check-prefix=CUDA_TILE
// RUN: tilewright compile %s --emit=tileaa | FileCheck %s --check-prefix=TILEAA
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=linalg | FileCheck %s --check-prefix=LINALG
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tilewright compile %s --target=cpu:x86-64-v4 --emit=asm | FileCheck %s --check-prefix=ZMM
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=asm | FileCheck %s --check-prefix=YMM
// RUN: tilewright compile %s --target=cpu:x86-64-v2 --emit=asm | FileCheck %s --check-prefix=XMM
// RUN: tilewright compile %s --emit=obj | llvm-nm - | FileCheck %s --check-prefix=SYMBOLS
// RUN: tilewright compile %s --emit=so -o %t.so && llvm-nm -D %t.so | FileCheck %s --check-prefix=SYMBOLS

// A level's text is the input of the next.
// RUN: tilewright compile %s --emit=tileaa | tilewright compile - --emit=linalg | tilewright compile - --emit=obj | llvm-nm - | FileCheck %s --check-prefix=SYMBOLS

// CUDA_TILE: entry @fill
// CUDA_TILE: store_view_tko
// TILEAA: func.func @fill({{.*}}) attributes {tileaa.kernel}
// TILEAA: tileaa.store_view
// LINALG: cpu.plan = #cpu.plan<
// PLAN: [fill]
// PLAN: vector_bits = 256
// LLVM: target triple = "x86_64-unknown-linux-gnu"
// LLVM: define void @fill(
// LLVM: "target-cpu"="x86-64-v3"
// ZMM: %zmm
// YMM-NOT: %zmm
// YMM: %ymm
// XMM-NOT: %ymm
// XMM: %xmm
// SYMBOLS: T fill

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
