// Block 0 sets what the others add to.
// grid: 3
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %is {
      %t = store_ptr_tko weak %a, %zero : tile<ptr<i32>>, tile<i32> -> token // here
    } else {
      %v, %t = atomic_rmw_tko relaxed device %a, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token // here
    }
    return
  }
}
