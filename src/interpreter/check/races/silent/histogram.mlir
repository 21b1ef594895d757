// Additions of one operation to one place are atomic.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %v = constant <i32: 1> : tile<8xi32>
    %i = constant <i32: [0, 1, 1, 2, 2, 2, 0, 1]> : tile<8xi32>
    %p_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_all = broadcast %p_one : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %p = offset %p_all, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %o, %t = atomic_rmw_tko relaxed tl_blk %p, add, %v : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
    return
  }
}
