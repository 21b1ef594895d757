// Each branch yields the token of what it did.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %is = cmpi equal %zero, %zero, signed : tile<i32> -> tile<i1>
    %t = make_token : token
    %r = if %is -> (token) {
      %u = store_ptr_tko weak %a, %one token=%t : tile<ptr<i32>>, tile<i32> -> token
      yield %u : token
    } else {
      yield %t : token
    }
    %v, %w = load_ptr_tko weak %a token=%r : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
