// A plain load looks at a counter while others count.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %v, %t = atomic_rmw_tko relaxed device %a, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token // here
    %w, %u = load_ptr_tko weak %a token=%t : tile<ptr<i32>> -> tile<i32>, token // here
    return
  }
}
