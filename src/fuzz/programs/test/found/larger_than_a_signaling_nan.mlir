// On GPUs the larger of two constants was folded to NaN where one is a signaling NaN.
// launch: 16377 grid 1 1 1
// buffer: f16 4 zero 1 exact
// buffer: bf16 4 zero 1 exact
cuda_tile.module @program {
  entry @main(%out: tile<ptr<f16>>, %others: tile<ptr<bf16>>) {
    %c = constant <f16: [-1.963810e-02, -6.550400e+04, 0xFC83, -5.000000e-01]> : tile<4xf16>
    %n = negf %c : tile<4xf16>
    %inf = constant <f16: [1.0, 0x7C00, 0x7C00, 0x7E00]> : tile<4xf16>
    %s = maxf %n, %inf : tile<4xf16>
    %v = make_tensor_view %out, shape = [4], strides = [1] : tensor_view<4xf16, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<4xf16, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %t = store_view_tko weak %s, %p[%z] : tile<4xf16>, partition_view<tile=(4), tensor_view<4xf16, strides=[1]>>, tile<i32> -> token
    %b = constant <bf16: [2.0, 0xFFA6, -1.0, 0x7FA1]> : tile<4xbf16>
    %one = constant <bf16: -1.0> : tile<4xbf16>
    %least = minf %one, %b : tile<4xbf16>
    %bv = make_tensor_view %others, shape = [4], strides = [1] : tensor_view<4xbf16, strides=[1]>
    %bp = make_partition_view %bv : partition_view<tile=(4), tensor_view<4xbf16, strides=[1]>>
    %u = store_view_tko weak %least, %bp[%z] : tile<4xbf16>, partition_view<tile=(4), tensor_view<4xbf16, strides=[1]>>, tile<i32> -> token
    return
  }
}
