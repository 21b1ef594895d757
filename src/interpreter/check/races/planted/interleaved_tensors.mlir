// The second tensor begins at element 2: even elements, which the first one has too.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %first = constant <i32: 2> : tile<i32>
    %v = constant <i32: 1> : tile<4xi32>
    %b = offset %a, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = make_tensor_view %a, shape = [8], strides = [2] : tensor_view<8xi32, strides=[2]>
    %s = make_tensor_view %b, shape = [8], strides = [2] : tensor_view<8xi32, strides=[2]>
    %p = make_partition_view %t : partition_view<tile=(4), tensor_view<8xi32, strides=[2]>>
    %q = make_partition_view %s : partition_view<tile=(4), tensor_view<8xi32, strides=[2]>>
    %u = store_view_tko weak %v, %p[%zero] : tile<4xi32>, partition_view<tile=(4), tensor_view<8xi32, strides=[2]>>, tile<i32> -> token // here
    %w = store_view_tko weak %v, %q[%zero] : tile<4xi32>, partition_view<tile=(4), tensor_view<8xi32, strides=[2]>>, tile<i32> -> token // here
    return
  }
}
