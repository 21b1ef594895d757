// The store of what was loaded has the token of the load.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %v, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %one : tile<i32>
    %u = store_ptr_tko weak %a, %w token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
