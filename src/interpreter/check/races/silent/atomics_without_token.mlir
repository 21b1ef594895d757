// One block, two atomic accesses: tl_blk is enough, and no token is needed.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %v, %t = atomic_rmw_tko relaxed tl_blk %a, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %w, %u = load_ptr_tko relaxed tl_blk %a : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
