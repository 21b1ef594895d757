// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a million elements is worked on slice by slice, and the plan says so.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// CHECK: [double]
// CHECK-NEXT: # slices = ["1024x1024xf32 by 16x1024"]
// CHECK: warps = 16

// A thread has 32 of them at a time.
// PTX-COUNT-32: ld.global
// PTX-NOT: ld.global
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
