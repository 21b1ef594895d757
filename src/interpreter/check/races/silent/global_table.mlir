// Blocks read a global.
// grid: 3
cuda_tile.module @m {
  global constant @table <i32: [1, 2]> : tile<2xi32>
  entry @k(%a: tile<ptr<i32>>) {
    %g = get_global @table : tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
