// The print waits for the store, and the load for the print.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
    %p = print_tko "stored\n" token=%t -> token
    %v, %u = load_ptr_tko weak %a token=%p : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
