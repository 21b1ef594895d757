// All blocks add to one element.
// grid: 3
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %v, %t = atomic_rmw_tko relaxed device %a, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
