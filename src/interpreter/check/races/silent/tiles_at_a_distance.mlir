// Tiles of four elements begin every four elements.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %v = constant <i32: 1> : tile<4xi32>
    %t = make_tensor_view %a, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
    %w = make_strided_view %t : strided_view<tile=(4), traversal_strides=[4], tensor_view<32xi32, strides=[1]>>
    %u = store_view_tko weak %v, %w[%x] : tile<4xi32>, strided_view<tile=(4), traversal_strides=[4], tensor_view<32xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
