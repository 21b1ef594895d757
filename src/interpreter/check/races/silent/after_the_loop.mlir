// The load after the loop has the token that the loop gives.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %t = make_token : token
    %r = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%c = %t) -> (token) {
      %u = store_ptr_tko weak %a, %i token=%c : tile<ptr<i32>>, tile<i32> -> token
      continue %u : token
    }
    %v, %w = load_ptr_tko weak %a token=%r : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
