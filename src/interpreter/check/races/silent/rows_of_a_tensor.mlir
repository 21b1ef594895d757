// Rows of six elements and a stride of 6.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %v = constant <i32: 1> : tile<1x8xi32>
    %t = make_tensor_view %a, shape = [4, 6], strides = [6, 1] : tensor_view<4x6xi32, strides=[6,1]>
    %p = make_partition_view %t : partition_view<tile=(1x8), tensor_view<4x6xi32, strides=[6,1]>>
    %u = store_view_tko weak %v, %p[%x, %zero] : tile<1x8xi32>, partition_view<tile=(1x8), tensor_view<4x6xi32, strides=[6,1]>>, tile<i32> -> token
    return
  }
}
