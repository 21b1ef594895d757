// Block 3 does not take the lock that the others take.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %is = cmpi not_equal %x, %three, signed : tile<i32> -> tile<i1>
    if %is {
      %old, %g = atomic_cas_tko acquire device %b, %zero, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %s = store_ptr_tko weak %a, %x token=%g : tile<ptr<i32>>, tile<i32> -> token // here
      %u = store_ptr_tko release device %b, %zero token=%s : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %s = store_ptr_tko weak %a, %x : tile<ptr<i32>>, tile<i32> -> token // here
    }
    return
  }
}
