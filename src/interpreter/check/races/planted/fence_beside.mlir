// The fence is on another chain than the load.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token // here
    %f = memory_fence_alias_tko %t
    %v, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token // here
    return
  }
}
