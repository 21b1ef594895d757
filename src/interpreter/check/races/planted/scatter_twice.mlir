// Two elements of the store go to one place.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %i = constant <i32: [0, 1, 1, 2]> : tile<4xi32>
    %v = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %p_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_all = broadcast %p_one : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %p = offset %p_all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %t = store_ptr_tko weak %p, %v : tile<4xptr<i32>>, tile<4xi32> -> token // here
    return
  }
}
