// A relaxed addition in between hands the release on.
// grid: 3
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    %second = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
    if %first {
      %d = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
      %f, %t = atomic_rmw_tko release device %b, add, %one token=%d : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    } else {
      if %second {
        %f, %t = atomic_rmw_tko relaxed device %b, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      } else {
        %v, %g = load_ptr_tko acquire device %b : tile<ptr<i32>> -> tile<i32>, token
        %w, %u = load_ptr_tko weak %a token=%g : tile<ptr<i32>> -> tile<i32>, token
      }
    }
    return
  }
}
