// Each block waits for its number; every release is acquired by the next one.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %turn = offset %b, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %mine, %t = atomic_rmw_tko relaxed device %b, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %g = loop : token {
      %now, %n = load_ptr_tko acquire device %turn : tile<ptr<i32>> -> tile<i32>, token
      %is = cmpi equal %now, %mine, signed : tile<i32> -> tile<i1>
      if %is {
        break %n : token
      }
      continue
    }
    %v, %l = load_ptr_tko weak %a token=%g : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %one : tile<i32>
    %s = store_ptr_tko weak %a, %w token=%l : tile<ptr<i32>>, tile<i32> -> token
    %o, %u = atomic_rmw_tko release device %turn, add, %one token=%s : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
