// Tokens order what is in one block; the store of block 0 and the load of block 1 have none in common.
// grid: 2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    %s = make_token : token
    %r = if %is -> (token) {
      %t = store_ptr_tko weak %a, %x token=%s : tile<ptr<i32>>, tile<i32> -> token // here
      yield %t : token
    } else {
      %v, %t = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token // here
      yield %t : token
    }
    return
  }
}
