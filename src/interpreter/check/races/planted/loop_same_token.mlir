// Every iteration stores to the same element after the token from outside of the loop.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %t = make_token : token
    for %i in (%zero to %four, step %one) : tile<i32> {
      %u = store_ptr_tko weak %a, %i token=%t : tile<ptr<i32>>, tile<i32> -> token // here
    }
    return
  }
}
