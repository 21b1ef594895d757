// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a million elements is worked on slice by slice, and the plan says so.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// CHECK: [double]
// CHECK-NEXT: # slices = ["1024x1024xf32 by 16x1024"]
// CHECK-NEXT: slice = 16384  # registers do not hold whole tiles: 1024x1024xf32 by 16x1024
// CHECK: warps = 16

// A thread has 32 of them at a time.
// PTX-COUNT-32: ld.global
// PTX-NOT: ld.global

// A plan file decides how large they are, but for one line at least; its other decisions come to the same code.
// RUN: printf '[double]\nslice = 4096\n' > %t.four
// RUN: tilewright compile %s --target=nvidia:sm_90 --plan=%t.four --emit=plan -o - | FileCheck %s --check-prefix=FOUR
// FOUR: # slices = ["1024x1024xf32 by 4x1024"]
// FOUR-NEXT: slice = 4096  # the plan file asks for it
// FOUR-NEXT: warps = 4  # as many as for other kernels without reductions
// RUN: printf '[double]\nslice = 1024\n' > %t.one
// RUN: tilewright compile %s --target=nvidia:sm_90 --plan=%t.one --emit=plan -o - | FileCheck %s --check-prefix=ONE
// ONE: # slices = ["1024x1024xf32 by 1x1024"]
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=plan -o %t.toml
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o %t.ptx
// RUN: tilewright compile %s --target=nvidia:sm_90 --plan=%t.toml --emit=ptx -o %t.again
// RUN: cmp %t.ptx %t.again

// Other values are refused, and so is a decision on the slices of a kernel without any.
// RUN: printf '[double]\nslice = 3000\n' > %t.odd
// RUN: not tilewright compile %s --target=nvidia:sm_90 --plan=%t.odd --emit=ptx 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: {{.*}}.odd:2: slice is '3000', and slice of a kernel is expected to be a power of two from 1024 to 32768
// RUN: printf '[gemm]\nslice = 4096\n' > %t.whole
// RUN: not tilewright compile %S/../../tileas/test/gemm_hopper.mlir --target=sm_90 --plan=%t.whole --emit=ptx 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: {{.*}}.whole:2: slice = 4096 of kernel is impossible: no tile is sliced for being too large
cuda_tile.module @m {
  entry @double(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %p, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf32, strides=[1024,1]>
    %w = make_tensor_view %q, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf32, strides=[1024,1]>
    %a = make_partition_view %v : partition_view<tile=(1024x1024), tensor_view<1024x1024xf32, strides=[1024,1]>>
    %b = make_partition_view %w : partition_view<tile=(1024x1024), tensor_view<1024x1024xf32, strides=[1024,1]>>
    %x, %t = load_view_tko weak %a[%zero, %zero] : partition_view<tile=(1024x1024), tensor_view<1024x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<1024x1024xf32>, token
    %y = addf %x, %x : tile<1024x1024xf32>
    %u = store_view_tko weak %y, %b[%zero, %zero] : tile<1024x1024xf32>, partition_view<tile=(1024x1024), tensor_view<1024x1024xf32, strides=[1024,1]>>, tile<i32> -> token
    return
  }
}
