// A plan is printed, edited and given back; what is not edited stays as planned.
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=plan | FileCheck %s --check-prefix=PLANNED
// RUN: printf '[fill] # the only one\n\n  loop_vectors = 1\n' > %t.plan
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --plan=%t.plan --emit=plan | FileCheck %s --check-prefix=EDITED
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --plan=%t.plan --emit=linalg | tilewright compile - --target=cpu:x86-64-v3 --emit=plan | FileCheck %s --check-prefix=EDITED
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=plan > %t.same
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --plan=%t.same --emit=plan | diff - %t.same

// PLANNED: [fill]
// PLANNED: loop_vectors = 2
// PLANNED: vector_bits = 256{{$}}
// EDITED: loop_vectors = 1
// EDITED: vector_bits = 256{{$}}

// It changes the code.
// RUN: printf '[fill]\nvector_bits = 128\nmicro_tile_n = 8\nloop_vectors = 1\n' > %t.narrow
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --plan=%t.narrow --emit=llvm | FileCheck %s --check-prefix=NARROW
// NARROW-NOT: <8 x float>
// NARROW: <4 x float>

// What is wrong is named with its line.
// RUN: printf '[fill]\n  vector_bit = 256\n' > %t.name
// RUN: not tilewright compile %s --plan=%t.name --emit=asm 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: {{.*}}.name:2: a plan has no 'vector_bit', expected one of {{.*}}loop_vectors, {{.*}}vector_bits
// RUN: printf '[full]\n' > %t.kernel
// RUN: not tilewright compile %s --plan=%t.kernel --emit=asm 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{.*}}.kernel:1: no kernel 'full', the module has fill
// RUN: printf 'depth = 64\n' > %t.above
// RUN: not tilewright compile %s --plan=%t.above --emit=asm 2>&1 | FileCheck %s --check-prefix=ABOVE
// ABOVE: {{.*}}.above:1: 'depth' belongs to no kernel, expected a table [kernel] above it
// RUN: printf '[fill]\ndepth\n' > %t.value
// RUN: not tilewright compile %s --plan=%t.value --emit=asm 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: {{.*}}.value:{{[0-9]+}}: {{.+}}
// RUN: printf '[fill]\ndepth = "deep"\n' > %t.number
// RUN: not tilewright compile %s --plan=%t.number --emit=asm 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: {{.*}}.number:2: depth is 'deep', expected a number
// RUN: printf '[fill]\npair_dot = 1\n' > %t.flag
// RUN: not tilewright compile %s --plan=%t.flag --emit=asm 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: {{.*}}.flag:2: pair_dot is '1', expected true or false
// RUN: not tilewright compile %s --plan=%t.missing --emit=asm 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot read {{.*}}.missing

// And so is what the passes or the target cannot follow, be it edited in the module.
// RUN: printf '[fill]\nmicro_tile_n = 24\n' > %t.columns
// RUN: not tilewright compile %s --target=cpu:x86-64-v3 --plan=%t.columns --emit=asm 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: {{.*}}.columns: plan of @fill: micro_tile_n is 24, expected a power of two from vector_bits / 32 to 512
// RUN: printf '[fill]\nvector_bits = 512\nmicro_tile_n = 16\n' > %t.bits
// RUN: not tilewright compile %s --target=cpu:x86-64-v3 --plan=%t.bits --emit=linalg 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: plan of @fill: vector_bits is 512, expected 128, 256 or 512, and no more than the target has
// RUN: printf '[fill]\npair_dot = true\n' > %t.pair
// RUN: not tilewright compile %s --target=cpu:x86-64-v4 --plan=%t.pair --emit=asm 2>&1 | FileCheck %s --check-prefix=PAIR
// PAIR: plan of @fill: pair_dot is true, expected false, except for 512-bit vectors on a target with avx512bf16
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=linalg | sed 's/loop_vectors = 2/loop_vectors = 3/' | not tilewright compile - --target=cpu:x86-64-v3 --emit=asm 2>&1 | FileCheck %s --check-prefix=HAND
// HAND: a plan whose loop_vectors is 3, expected 1, 2, 4, 8 or 16

cuda_tile.module @kernels {
  entry @fill(%out: tile<ptr<f32>>, %n: tile<i32>) {
    %token = make_token : token
    %view = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %tiles = make_partition_view %view : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %old, %read = load_view_tko weak %tiles[%x] token = %token : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %new = exp2 %old : tile<16xf32>
    %done = store_view_tko weak %new, %tiles[%x] token = %read : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
