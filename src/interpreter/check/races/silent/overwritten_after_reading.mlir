// Block 0 says that it has read when it has; block 1 writes.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %is {
      %v, %d = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
      %f = store_ptr_tko release device %b, %one token=%d : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %v, %g = load_ptr_tko acquire device %b : tile<ptr<i32>> -> tile<i32>, token
      %u = store_ptr_tko weak %a, %one token=%g : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
}
