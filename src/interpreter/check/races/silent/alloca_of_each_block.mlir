// Each block has memory of its own, wherever it lies.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %m = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
    %t = store_ptr_tko weak %m, %one : tile<ptr<i32>>, tile<i32> -> token
    %v, %u = load_ptr_tko weak %m token=%t : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
