// Two stores after the same token, and none after the other.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
    %u = store_ptr_tko weak %a, %one token=%t : tile<ptr<i32>>, tile<i32> -> token // here
    %v = store_ptr_tko weak %a, %one token=%t : tile<ptr<i32>>, tile<i32> -> token // here
    return
  }
}
