// The rows of the scatter are 0, 2, 1 and 3.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %rows = constant <i32: [0, 2, 1, 3]> : tile<4xi32>
    %v = constant <i32: 1> : tile<4x8xi32>
    %t = make_tensor_view %a, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xi32, strides=[8,1]>
    %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<8x8xi32, strides=[8,1]>, sparse_dim=0>
    %u = store_view_tko weak %v, %g[%rows, %zero] : tile<4x8xi32>, gather_scatter_view<tile=(4x8), tensor_view<8x8xi32, strides=[8,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
}
