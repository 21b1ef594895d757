// Any number of blocks may read an element.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %v, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    %w, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
