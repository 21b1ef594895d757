// The wait is a link of the chain of tokens.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
    %w = gdc_wait_tko token = %t -> token
    %d = gdc_launch_dependents_tko token = %w -> token
    %v, %u = load_ptr_tko weak %a token=%d : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
