// Four bytes here, the first two of them there: such atomics are not atomic to each other.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %half = constant <i16: 1> : tile<i16>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    %h = ptr_to_ptr %a : tile<ptr<i32>> -> tile<ptr<i16>>
    if %is {
      %t = store_ptr_tko relaxed device %a, %x : tile<ptr<i32>>, tile<i32> -> token // here
    } else {
      %t = store_ptr_tko relaxed device %h, %half : tile<ptr<i16>>, tile<i16> -> token // here
    }
    return
  }
}
