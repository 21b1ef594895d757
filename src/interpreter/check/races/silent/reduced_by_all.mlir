// All blocks reduce into one tile.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %v = constant <i32: 1> : tile<8xi32>
    %t = make_tensor_view %a, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %p = make_partition_view %t : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %u = atomic_red_view_tko relaxed device %p[%zero], add, %v : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
