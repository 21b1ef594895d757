// ptxas (13.0 and 13.5) negates constant operands of m16n8k8 as words, the GPU both halves of them.
// launch: 5014627 grid 1 1 1
// buffer: f32 128 zero 223816 exact
cuda_tile.module @program {
  entry @main(%out: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %a = constant <bf16: -1.0> : tile<16x8xbf16>
    %b = constant <bf16: -2.0> : tile<8x8xbf16>
    %c = constant <f32: -2.0> : tile<16x8xf32>
    %d = mmaf %a, %b, %c : tile<16x8xbf16>, tile<8x8xbf16>, tile<16x8xf32>
    %view = make_tensor_view %out, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
    %tiles = make_partition_view %view : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>
    %t = store_view_tko weak %d, %tiles[%zero, %zero] : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
