// Loads may run in any order; the store waits for all three.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %s = make_token : token
    %v, %t = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token
    %w, %u = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token
    %x, %y = load_ptr_tko weak %a token=%s : tile<ptr<i32>> -> tile<i32>, token
    %j = join_tokens %t, %u, %y : token
    %z = store_ptr_tko weak %a, %one token=%j : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
