// Each block has its half of the integer.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %half = constant <i16: 1> : tile<i16>
    %h = ptr_to_ptr %a : tile<ptr<i32>> -> tile<ptr<i16>>
    %p = offset %h, %x : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %t = store_ptr_tko relaxed device %p, %half : tile<ptr<i16>>, tile<i16> -> token
    return
  }
}
