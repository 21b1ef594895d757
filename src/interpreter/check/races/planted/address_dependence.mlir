// An address that was loaded orders nothing: a[a[0]] is a[0] here.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %v, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token // here
    %p = offset %a, %v : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %u = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token // here
    return
  }
}
