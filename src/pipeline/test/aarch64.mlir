// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright compile %s --target=aarch64 --emit=asm | FileCheck %s --implicit-check-not=ymm --implicit-check-not=zmm
// RUN: tilewright compile %s --target=cpu:aarch64+sve2+bf16+dotprod --emit=asm | FileCheck %s --check-prefix=WORDS
// RUN: tilewright compile %s --target=aarch64+bf16+dotprod --emit=llvm | FileCheck %s --check-prefix=IR --implicit-check-not=llvm.x86
// RUN: tilewright compile %s --target=neoverse-v2 --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilewright compile %s --target=neoverse-n1 -o %t.o
// RUN: llvm-readobj --file-headers %t.o | FileCheck %s --check-prefix=ELF
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t.h
// RUN: tilewright compile %s --target=aarch64 --emit=so -o %t.so
// RUN: llvm-readobj --file-headers --dyn-syms %t.so | FileCheck %s --check-prefixes=ELF,SO
// RUN: not tilewright compile %s --target=aarch64+dotprot -o %t.o 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not tilewright compile %s --target=cpu:neoverse-n9 -o %t.o 2>&1 | FileCheck %s --check-prefix=NEAREST
// RUN: printf '[floats]\nisa = "x86"\nbyte_words = 2\n' > %t.plan
// RUN: not tilewright compile %s --target=aarch64 --plan=%t.plan -o %t.o 2>&1 | FileCheck %s --check-prefix=ISA

// CHECK-LABEL: floats:
// CHECK: fmla v{{[0-9]+}}.4s, v{{[0-9]+}}.4s

// WORDS-LABEL: bfloats:
// WORDS: bfdot v{{[0-9]+}}.4s, v{{[0-9]+}}.8h, v{{[0-9]+}}.8h
// WORDS-LABEL: bytes:
// WORDS: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.16b

// IR: target triple = "aarch64-unknown-linux-gnu"
// IR: call <4 x float> @llvm.aarch64.neon.bfdot
// IR: call <4 x i32> @llvm.aarch64.neon.sdot

// PLAN: [floats]
// PLAN: byte_words = 4
// PLAN: isa = "aarch64"
// PLAN: mma_unit = "vector" # only x86 has AMX
// PLAN: pair_dot = true
// PLAN: vector_bits = 128

// ELF: Machine: EM_AARCH64
// SO: Name: floats
// HEADER: Written by tilewright for aarch64-unknown-linux-gnu, neoverse-n1.

// FEATURE: target 'aarch64+dotprot': there is no feature 'dotprot' of aarch64, the nearest is 'dotprod', expected one of aes, bf16,
// NEAREST: unknown target 'cpu:neoverse-n9', {{.*}}, cpu:neoverse-v2; the nearest is cpu:neoverse-n1
// ISA: isa is x86, expected that of the target

cuda_tile.module @products {
  entry @floats(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %va = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %pa = make_partition_view %va : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %vb = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %pb = make_partition_view %vb : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %vc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %pc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %ta, %ka = load_view_tko weak %pa[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
    %tb, %kb = load_view_tko weak %pb[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %r = mmaf %ta, %tb, %none : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %k = store_view_tko weak %r, %pc[%zero, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @bfloats(%a: tile<ptr<bf16>>, %b: tile<ptr<bf16>>, %c: tile<ptr<f32>>) {
    %va = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xbf16, strides=[64,1]>
    %pa = make_partition_view %va : partition_view<tile=(64x64), tensor_view<64x64xbf16, strides=[64,1]>>
    %vb = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xbf16, strides=[64,1]>
    %pb = make_partition_view %vb : partition_view<tile=(64x64), tensor_view<64x64xbf16, strides=[64,1]>>
    %vc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %pc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %ta, %ka = load_view_tko weak %pa[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xbf16, strides=[64,1]>>, tile<i32> -> tile<64x64xbf16>, token
    %tb, %kb = load_view_tko weak %pb[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xbf16, strides=[64,1]>>, tile<i32> -> tile<64x64xbf16>, token
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %r = mmaf %ta, %tb, %none : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
    %k = store_view_tko weak %r, %pc[%zero, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @bytes(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>) {
    %va = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi8, strides=[64,1]>
    %pa = make_partition_view %va : partition_view<tile=(64x64), tensor_view<64x64xi8, strides=[64,1]>>
    %vb = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi8, strides=[64,1]>
    %pb = make_partition_view %vb : partition_view<tile=(64x64), tensor_view<64x64xi8, strides=[64,1]>>
    %vc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
    %pc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<64x64xi32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %ta, %ka = load_view_tko weak %pa[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xi8, strides=[64,1]>>, tile<i32> -> tile<64x64xi8>, token
    %tb, %kb = load_view_tko weak %pb[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xi8, strides=[64,1]>>, tile<i32> -> tile<64x64xi8>, token
    %none = constant <i32: 0> : tile<64x64xi32>
    %r = mmai %ta, %tb, %none signed signed : tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>
    %k = store_view_tko weak %r, %pc[%zero, %zero] : tile<64x64xi32>, partition_view<tile=(64x64), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
