// A branch on what was loaded orders nothing.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %v, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token // here
    %is = cmpi equal %v, %zero, signed : tile<i32> -> tile<i1>
    if %is {
      %u = store_ptr_tko weak %a, %zero : tile<ptr<i32>>, tile<i32> -> token // here
    }
    return
  }
}
