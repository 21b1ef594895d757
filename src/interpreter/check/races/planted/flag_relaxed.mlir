// A relaxed flag says nothing about the data.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %is {
      %d = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token // here
      %f = store_ptr_tko relaxed device %b, %one token=%d : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %g = loop : token {
        %v, %t = load_ptr_tko relaxed device %b : tile<ptr<i32>> -> tile<i32>, token
        %set = cmpi equal %v, %one, signed : tile<i32> -> tile<i1>
        if %set {
          break %t : token
        }
        continue
      }
      %w, %u = load_ptr_tko weak %a token=%g : tile<ptr<i32>> -> tile<i32>, token // here
    }
    return
  }
}
