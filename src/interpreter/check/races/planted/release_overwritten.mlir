// Block 1 acquires what a relaxed store put over the release.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %is {
      %d = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token // here
      %f = store_ptr_tko release device %b, %one token=%d : tile<ptr<i32>>, tile<i32> -> token
      %h = store_ptr_tko relaxed device %b, %two token=%f : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %v, %g = load_ptr_tko acquire device %b : tile<ptr<i32>> -> tile<i32>, token
      %w, %u = load_ptr_tko weak %a token=%g : tile<ptr<i32>> -> tile<i32>, token // here
    }
    return
  }
}
