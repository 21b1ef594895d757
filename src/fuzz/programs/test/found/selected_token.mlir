// An `if` that only picks a token becomes a select of tokens, which the simulator took for a tile.
// launch: 1 grid 1 1 1
// buffer: i32 4 any 5 exact
// buffer: i32 4 zero 6 exact
cuda_tile.module @program {
  entry @main(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %x, %t1 = load_ptr_tko weak %in : tile<ptr<i32>> -> tile<i32>, token
    %next = offset %in, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %y, %t2 = load_ptr_tko weak %next : tile<ptr<i32>> -> tile<i32>, token
    %less = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>
    %t = if %less -> (token) {
      yield %t1 : token
    } else {
      yield %t2 : token
    }
    %sum = addi %x, %y : tile<i32>
    %u = store_ptr_tko weak %out, %sum token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
