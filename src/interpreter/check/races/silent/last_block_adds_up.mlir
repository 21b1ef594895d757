// Each block counts after its part; who counts last reads all of them.
// grid: 4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %p = offset %a, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %all_one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all_all = broadcast %all_one : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %all_i = iota : tile<4xi32>
    %all = offset %all_all, %all_i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %s = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    %n, %c = atomic_rmw_tko acq_rel device %b, add, %one token=%s : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %is = cmpi equal %n, %three, signed : tile<i32> -> tile<i1>
    if %is {
      %v, %l = load_ptr_tko weak %all token=%c : tile<4xptr<i32>> -> tile<4xi32>, token
    }
    return
  }
}
