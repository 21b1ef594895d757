// For GPUs the larger of two signaling NaN was folded to one, and the larger of that and a number to NaN.
// launch: 5012901 grid 1 1 1
// buffer: i1 8 zero 625535 exact
cuda_tile.module @program {
  entry @main(%out: tile<ptr<i1>>) {
    %zero = constant <i32: 0> : tile<i32>
    %x = constant <f16: [5.960460e-08, -6.816400e-01, -1.950070e-02, -2.224120e-01, 2.000000e+00, 0xFCA8, 1.000000e+00, 6.103520e-05]> : tile<8xf16>
    %nan = maxf %x, %x propagate_nan : tile<8xf16>
    %zeros = constant <f16: 0.000000e+00> : tile<8xf16>
    %number = maxf %nan, %zeros : tile<8xf16>
    %flag = ftoi %number unsigned  : tile<8xf16> -> tile<8xi1>
    %view = make_tensor_view %out, shape = [8], strides = [1] : tensor_view<8xi1, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(8), tensor_view<8xi1, strides=[1]>>
    %t = store_view_tko weak %flag, %tiles[%zero] : tile<8xi1>, partition_view<tile=(8), tensor_view<8xi1, strides=[1]>>, tile<i32> -> token
    return
  }
}
