// Integers that wrap between two lanes do not go on growing where they are extended.
// launch: 5 grid 1 1 1
// buffer: i32 64 zero 1 exact
// buffer: i32 64 zero 1 exact
// buffer: i32 64 zero 1 exact
// buffer: i64 64 zero 1 exact
// scalar: i32 2147483637
cuda_tile.module @program {
  entry @main(%above: tile<ptr<i32>>, %below: tile<ptr<i32>>, %steps: tile<ptr<i32>>, %wide: tile<ptr<i64>>, %near: tile<i32>) {
    %row = iota : tile<64xi32>
    %bytes = iota : tile<64xi8>

    %c125 = constant <i8: 125> : tile<64xi8>
    %past127 = addi %bytes, %c125 : tile<64xi8>
    %0 = exti %past127 signed : tile<64xi8> -> tile<64xi32>
    %above.1 = reshape %above : tile<ptr<i32>> -> tile<1xptr<i32>>
    %above.64 = broadcast %above.1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %above.at = offset %above.64, %row : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %t0 = store_ptr_tko weak %above.at, %0 : tile<64xptr<i32>>, tile<64xi32> -> token

    %cm3 = constant <i8: -3> : tile<64xi8>
    %past255 = addi %bytes, %cm3 : tile<64xi8>
    %1 = exti %past255 unsigned : tile<64xi8> -> tile<64xi32>
    %below.1 = reshape %below : tile<ptr<i32>> -> tile<1xptr<i32>>
    %below.64 = broadcast %below.1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %below.at = offset %below.64, %row : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %t1 = store_ptr_tko weak %below.at, %1 : tile<64xptr<i32>>, tile<64xi32> -> token

    %c100 = constant <i8: 100> : tile<64xi8>
    %often = muli %bytes, %c100 : tile<64xi8>
    %2 = exti %often unsigned : tile<64xi8> -> tile<64xi32>
    %steps.1 = reshape %steps : tile<ptr<i32>> -> tile<1xptr<i32>>
    %steps.64 = broadcast %steps.1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %steps.at = offset %steps.64, %row : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %t2 = store_ptr_tko weak %steps.at, %2 : tile<64xptr<i32>>, tile<64xi32> -> token

    %near.1 = reshape %near : tile<i32> -> tile<1xi32>
    %near.64 = broadcast %near.1 : tile<1xi32> -> tile<64xi32>
    %past = addi %near.64, %row : tile<64xi32>
    %3 = exti %past signed : tile<64xi32> -> tile<64xi64>
    %wide.1 = reshape %wide : tile<ptr<i64>> -> tile<1xptr<i64>>
    %wide.64 = broadcast %wide.1 : tile<1xptr<i64>> -> tile<64xptr<i64>>
    %wide.at = offset %wide.64, %row : tile<64xptr<i64>>, tile<64xi32> -> tile<64xptr<i64>>
    %t3 = store_ptr_tko weak %wide.at, %3 : tile<64xptr<i64>>, tile<64xi64> -> token
    return
  }
}
