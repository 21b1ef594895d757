// The load waits for the print, and the print for nothing.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token // here
    %p = print_tko "stored\n" -> token
    %v, %u = load_ptr_tko weak %a token=%p : tile<ptr<i32>> -> tile<i32>, token // here
    return
  }
}
