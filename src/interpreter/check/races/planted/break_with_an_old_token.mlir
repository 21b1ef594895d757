// The loop breaks with the token from before its last store.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = make_token : token
    %r = loop iter_values(%c = %t) : token -> token {
      %u = store_ptr_tko weak %a, %one token=%c : tile<ptr<i32>>, tile<i32> -> token // here
      break %c : token
    }
    %v, %w = load_ptr_tko weak %a token=%r : tile<ptr<i32>> -> tile<i32>, token // here
    return
  }
}
