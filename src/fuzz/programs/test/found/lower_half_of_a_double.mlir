// ptxas 13.0 stores the lower word of a double's register as the double made an integer.
// launch: 5000211 grid 1 1 2
// buffer: i32 2 zero 514857 exact
// buffer: i64 2 zero 513857 exact
cuda_tile.module @program {
  entry @main(%words: tile<ptr<i32>>, %bits: tile<ptr<i64>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %f = itof %z unsigned : tile<i32> -> tile<f64>
    %twice = addf %f, %f rounding<zero> : tile<f64>
    %whole = bitcast %twice : tile<f64> -> tile<i64>
    %print = print_tko "%llx\0A", %whole : tile<i64> -> token
    %word = trunci %whole : tile<i64> -> tile<i32>
    %p = offset %words, %z : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %s = store_ptr_tko weak %p, %word : tile<ptr<i32>>, tile<i32> -> token
    %q = offset %bits, %z : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %t = store_ptr_tko weak %q, %whole : tile<ptr<i64>>, tile<i64> -> token
    return
  }
}
