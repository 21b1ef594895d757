// The scope of the additions ends at the block.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %v, %t = atomic_rmw_tko relaxed tl_blk %a, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token // here
    return
  }
}
