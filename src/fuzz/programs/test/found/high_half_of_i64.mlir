// The simulated kernel had 64 of the product's 128 bits.
// launch: 129 grid 1 1 1
// scalar: i64 11058311010812036206
// buffer: i64 1 zero 211198 exact
cuda_tile.module @program {
  entry @main(%arg0: tile<i64>, %arg1: tile<ptr<i64>>) {
    %0 = mulhii %arg0, %arg0 : tile<i64>
    %1 = store_ptr_tko weak %arg1, %0 : tile<ptr<i64>>, tile<i64> -> token
    return
  }
}
