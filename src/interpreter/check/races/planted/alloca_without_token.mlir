// Memory of the block is ordered by tokens like any other.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %m = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
    %t = store_ptr_tko weak %m, %one : tile<ptr<i32>>, tile<i32> -> token // here
    %u = store_ptr_tko weak %m, %one : tile<ptr<i32>>, tile<i32> -> token // here
    return
  }
}
