// LLVM had no instruction for the comparison of bf16 whose result becomes lanes.
// launch: 1955 grid 1 1 1
// buffer: f16 16 zero 437470 exact
cuda_tile.module @program {
  entry @main(%arg0: tile<ptr<f16>>) {
    %cst_bf16 = constant <bf16: [0x7F80, 0.000000e+00, 2.087220e-14, 3.809280e+05, 8.825380e-30, 8.000000e+00, 1.000000e+00, 5.000000e+00, -1.000000e+00, 0.000000e+00, 3.125000e+01, 1.000000e+00, 0.000000e+00, 0xFF80, 0x7F80, 3.000000e+00]> : tile<16xbf16>
    %0 = cmpf greater_than_or_equal ordered %cst_bf16, %cst_bf16 : tile<16xbf16> -> tile<16xi1>
    %1 = itof %0 signed  : tile<16xi1> -> tile<16xf16>
    %reshape = reshape %arg0 : tile<ptr<f16>> -> tile<1xptr<f16>>
    %bcast = broadcast %reshape : tile<1xptr<f16>> -> tile<16xptr<f16>>
    %2 = iota : tile<16xi32>
    %3 = offset %bcast, %2 : tile<16xptr<f16>>, tile<16xi32> -> tile<16xptr<f16>>
    %4 = store_ptr_tko weak %3, %1 : tile<16xptr<f16>>, tile<16xf16> -> token
    return
  }
}
