// To wait for the grid before orders nothing of this one.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token // here
    %w = gdc_wait_tko -> token
    %v, %u = load_ptr_tko weak %a token=%w : tile<ptr<i32>> -> tile<i32>, token // here
    return
  }
}
