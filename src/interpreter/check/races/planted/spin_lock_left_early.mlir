// The lock is given back before the store is done.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %g = loop : token {
      %old, %t = atomic_cas_tko acquire device %b, %zero, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %free = cmpi equal %old, %zero, signed : tile<i32> -> tile<i1>
      if %free {
        break %t : token
      }
      continue
    }
    %v, %l = load_ptr_tko weak %a token=%g : tile<ptr<i32>> -> tile<i32>, token // here
    %w = addi %v, %one : tile<i32>
    %s = store_ptr_tko weak %a, %w token=%l : tile<ptr<i32>>, tile<i32> -> token // here
    %o, %u = atomic_rmw_tko release device %b, xchg, %zero token=%l : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
