// Each store has the token of the one before.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
    %u = store_ptr_tko weak %a, %one token=%t : tile<ptr<i32>>, tile<i32> -> token
    %v = store_ptr_tko weak %a, %one token=%u : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
