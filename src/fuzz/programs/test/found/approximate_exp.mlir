// Approximate functions of a simulated kernel are as rough as its GPU's.
// launch: 33847 grid 1 1 1
// buffer: f32 1 zero 15364 ulp 8
cuda_tile.module @program {
  entry @main(%arg0: tile<ptr<f32>>) {
    %0 = constant <f32: 87.5716553> : tile<f32>
    %1 = exp %0 rounding<approx> : tile<f32>
    %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
