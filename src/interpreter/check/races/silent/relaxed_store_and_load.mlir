// Both are atomic in a scope that reaches the other.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %is {
      %t = store_ptr_tko relaxed device %a, %x : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %v, %t = load_ptr_tko relaxed device %a : tile<ptr<i32>> -> tile<i32>, token
    }
    return
  }
}
