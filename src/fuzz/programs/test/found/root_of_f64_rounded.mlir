// The simulated kernel rounded to the nearest.
// launch: 2093 grid 1 1 1
// buffer: f64 1 zero 1 exact
// buffer: f64 1 zero 2 exact
// buffer: f64 1 zero 3 exact
cuda_tile.module @program {
  entry @main(%arg0: tile<ptr<f64>>, %arg1: tile<ptr<f64>>, %arg2: tile<ptr<f64>>) {
    %two = constant <f64: 2.0> : tile<f64>
    %0 = sqrt %two rounding<zero> : tile<f64>
    %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<f64>>, tile<f64> -> token
    %2 = sqrt %two rounding<positive_inf> : tile<f64>
    %3 = store_ptr_tko weak %arg1, %2 : tile<ptr<f64>>, tile<f64> -> token
    %tiny = constant <f64: 0x0000000000000003> : tile<f64>
    %4 = sqrt %tiny rounding<negative_inf> : tile<f64>
    %5 = store_ptr_tko weak %arg2, %4 : tile<ptr<f64>>, tile<f64> -> token
    return
  }
}
