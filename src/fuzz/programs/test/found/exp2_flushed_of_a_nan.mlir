// The product of a NaN and of a power of two whose exponent was converted from it was poison.
// launch: 1319 grid 1 1 1
// buffer: f32 2 zero 730785 ulp 8
cuda_tile.module @program {
  entry @main(%arg0: tile<ptr<f32>>) {
    %cst_-1_i32 = constant <i32: -1> : tile<i32>
    %0 = bitcast %cst_-1_i32 : tile<i32> -> tile<f32>
    %1 = exp2 %0 flush_to_zero : tile<f32>
    %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
