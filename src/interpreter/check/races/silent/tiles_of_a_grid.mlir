// Each block of a grid of two dimensions writes its tile.
// grid: 2 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %v = constant <i32: 1> : tile<4x4xi32>
    %t = make_tensor_view %a, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xi32, strides=[8,1]>
    %p = make_partition_view %t : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[8,1]>>
    %u = store_view_tko weak %v, %p[%y, %x] : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
