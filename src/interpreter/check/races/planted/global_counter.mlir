// Blocks count in a global without atomics.
// grid: 3
cuda_tile.module @m {
  global @counter <i32: 0> : tile<1xi32>
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %g = get_global @counter : tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token // here
    %w = addi %v, %one : tile<i32>
    %u = store_ptr_tko weak %g, %w token=%t : tile<ptr<i32>>, tile<i32> -> token // here
    return
  }
}
