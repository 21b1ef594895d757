// An atomic store may hit a place twice: one of the values stays.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %v = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %i = constant <i32: 0> : tile<4xi32>
    %p_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_all = broadcast %p_one : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %p = offset %p_all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %t = store_ptr_tko relaxed tl_blk %p, %v : tile<4xptr<i32>>, tile<4xi32> -> token
    return
  }
}
