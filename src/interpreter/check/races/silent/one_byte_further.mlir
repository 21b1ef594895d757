// The byte follows the integer.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %byte = constant <i8: 1> : tile<i8>
    %four = constant <i32: 4> : tile<i32>
    %b = ptr_to_ptr %a : tile<ptr<i32>> -> tile<ptr<i8>>
    %p = offset %b, %four : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
    %u = store_ptr_tko weak %p, %byte : tile<ptr<i8>>, tile<i8> -> token
    return
  }
}
