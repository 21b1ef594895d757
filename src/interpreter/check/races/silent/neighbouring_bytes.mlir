// The stores touch neighbours and no element twice.
// grid: 1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<8xi32>
    %two = constant <i32: 8> : tile<i32>
    %b = offset %a, %two : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %p_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_all = broadcast %p_one : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %p_i = iota : tile<8xi32>
    %p = offset %p_all, %p_i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %q_one = reshape %b : tile<ptr<i32>> -> tile<1xptr<i32>>
    %q_all = broadcast %q_one : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %q_i = iota : tile<8xi32>
    %q = offset %q_all, %q_i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %t = store_ptr_tko weak %p, %one : tile<8xptr<i32>>, tile<8xi32> -> token
    %u = store_ptr_tko weak %q, %one : tile<8xptr<i32>>, tile<8xi32> -> token
    return
  }
}
