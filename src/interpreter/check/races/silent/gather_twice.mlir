// To read a place twice is no race.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %i = constant <i32: [0, 1, 1, 2]> : tile<4xi32>
    %p_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_all = broadcast %p_one : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %p = offset %p_all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %v, %t = load_ptr_tko weak %p : tile<4xptr<i32>> -> tile<4xi32>, token
    return
  }
}
