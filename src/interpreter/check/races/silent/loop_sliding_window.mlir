// The window again, with the tokens of both accesses carried along.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %s = make_token : token
    %r = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%c = %s) -> (token) {
      %j = addi %i, %one : tile<i32>
      %p = offset %a, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %q = offset %a, %j : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %v, %t = load_ptr_tko weak %q token=%c : tile<ptr<i32>> -> tile<i32>, token
      %u = store_ptr_tko weak %p, %v token=%t : tile<ptr<i32>>, tile<i32> -> token
      continue %u : token
    }
    return
  }
}
