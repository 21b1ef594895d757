// From block 0 to 1 to 2: what has happened before travels along.
// grid: 3
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %c = offset %b, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    %second = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
    if %first {
      %d = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
      %f = store_ptr_tko release device %b, %one token=%d : tile<ptr<i32>>, tile<i32> -> token
    } else {
      if %second {
        %v, %g = load_ptr_tko acquire device %b : tile<ptr<i32>> -> tile<i32>, token
        %f = store_ptr_tko release device %c, %one token=%g : tile<ptr<i32>>, tile<i32> -> token
      } else {
        %v, %g = load_ptr_tko acquire device %c : tile<ptr<i32>> -> tile<i32>, token
        %w, %u = load_ptr_tko weak %a token=%g : tile<ptr<i32>> -> tile<i32>, token
      }
    }
    return
  }
}
