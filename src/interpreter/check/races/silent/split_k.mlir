// Partial sums are added to one tile by atomics.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<8xi32>
    %p_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_all = broadcast %p_one : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %p_i = iota : tile<8xi32>
    %p = offset %p_all, %p_i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %v, %t = atomic_rmw_tko relaxed device %p, add, %one : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
    return
  }
}
