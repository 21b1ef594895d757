// The join leaves out the second load.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %s = make_token : token
    %v, %t = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token
    %w, %u = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token // here
    %x, %y = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token
    %j = join_tokens %t, %y : token
    %z = store_ptr_tko weak %a, %one token=%j : tile<ptr<i32>>, tile<i32> -> token // here
    return
  }
}
