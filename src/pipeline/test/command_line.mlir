// What the command refuses, and how it says so.
// RUN: not tilewright 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tilewright compile %s --emit=ptx 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tilewright compile %s --target=cpu:z80 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tilewright compile %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tilewright compile %s --emit=so 2>&1 | FileCheck %s --check-prefix=TERMINAL
// RUN: not tilewright compile %s --emit=obj -o %t.missing/out.o 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: printf 'cuda_tile.module @m {\n  entry @k() { oops }\n}' > %t.mlir
// RUN: not tilewright compile %t.mlir --emit=obj 2>&1 | FileCheck %s --check-prefix=SYNTAX

// NOTHING: no command given, expected compile, explain, plan, run, debug, dis, as or info
// LEVEL: target cpu:host has no level 'ptx', expected one of cuda_tile, tilebc, tileaa, linalg, plan, llvm, asm, obj, so
// TARGET: unknown target 'cpu:z80', expected cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3, cpu:x86-64-v4, cpu:sapphirerapids, cpu:aarch64, cpu:neoverse-n1
// MISSING: cannot read {{.*}}.missing
// TERMINAL: a shared library cannot go to the terminal, give -o FILE
// OUTPUT: cannot write {{.*}}.missing/out.o
// SYNTAX: command_line.mlir{{.*}}:2:16: error:
// SYNTAX-NEXT: entry @k() { oops }
// SYNTAX-NEXT: {{^               \^}}

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
