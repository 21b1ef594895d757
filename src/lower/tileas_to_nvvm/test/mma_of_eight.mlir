// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves of which eight are multiplied are sixteen with zeros behind them: assemblers make wrong code of m16n8k8 where
// operands are negative constants.
// RUN: tilewright compile %s --target=nvidia:sm_80 --emit=ptx -o - | FileCheck %s

// CHECK: mov.b32 [[ZERO:%r[0-9]+]], 0;
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, [[ZERO]], [[ZERO]]}, {%r{{[0-9]+}}, [[ZERO]]},
cuda_tile.module @m {
  entry @eight(%a: tile<ptr<f16>>, %out: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %view = make_tensor_view %a, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf16, strides=[8,1]>
    %tiles = make_partition_view %view : partition_view<tile=(16x8), tensor_view<16x8xf16, strides=[8,1]>>
    %x, %t0 = load_view_tko weak %tiles[%zero, %zero] : partition_view<tile=(16x8), tensor_view<16x8xf16, strides=[8,1]>>, tile<i32> -> tile<16x8xf16>, token
    %b = constant <f16: -2.0> : tile<8x8xf16>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %d = mmaf %x, %b, %c : tile<16x8xf16>, tile<8x8xf16>, tile<16x8xf32>
    %to = make_tensor_view %out, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
    %parts = make_partition_view %to : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>
    %t = store_view_tko weak %d, %parts[%zero, %zero] : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
