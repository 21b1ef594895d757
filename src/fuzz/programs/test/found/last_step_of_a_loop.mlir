// The step after the last iteration led beyond the largest number, and compiled code went on below the bound.
// launch: 1 grid 1 1 1
// buffer: i32 2 zero 1 exact
cuda_tile.module @program {
  entry @main(%out: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %none = constant <i32: 0> : tile<i32>
    %low = constant <i32: 2147483643> : tile<i32>
    %high = constant <i32: 2147483647> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %count = for %i in (%low to %high, step %three) : tile<i32> iter_values(%n = %none) -> (tile<i32>) {
      %more = addi %n, %one : tile<i32>
      continue %more : tile<i32>
    }
    %t0 = store_ptr_tko weak %out, %count : tile<ptr<i32>>, tile<i32> -> token
    %second = offset %out, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %large = constant <i32: -1294967296> : tile<i32>
    %all = constant <i32: -1> : tile<i32>
    %twice = for unsigned %i in (%none to %all, step %large) : tile<i32> iter_values(%n = %none) -> (tile<i32>) {
      %more = addi %n, %one : tile<i32>
      continue %more : tile<i32>
    }
    %t1 = store_ptr_tko weak %second, %twice : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
