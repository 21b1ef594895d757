// One acquire reads the flags of two blocks, each released after its part.
// grid: 3
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %is = cmpi less_than %x, %two, signed : tile<i32> -> tile<i1>
    %flags_one = reshape %b : tile<ptr<i32>> -> tile<1xptr<i32>>
    %flags_all = broadcast %flags_one : tile<1xptr<i32>> -> tile<2xptr<i32>>
    %flags_i = iota : tile<2xi32>
    %flags = offset %flags_all, %flags_i : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
    %parts_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %parts_all = broadcast %parts_one : tile<1xptr<i32>> -> tile<2xptr<i32>>
    %parts_i = iota : tile<2xi32>
    %parts = offset %parts_all, %parts_i : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
    if %is {
      %p = offset %a, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %f = offset %b, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %d = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
      %s = store_ptr_tko release device %f, %one token=%d : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %v, %g = load_ptr_tko acquire device %flags : tile<2xptr<i32>> -> tile<2xi32>, token
      %w, %u = load_ptr_tko weak %parts token=%g : tile<2xptr<i32>> -> tile<2xi32>, token
    }
    return
  }
}
