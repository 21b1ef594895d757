// A scan in parts by warps, of halves: parts are widened to f32 as parts.
// launch: 36000590 grid 1 1 1
// buffer: f16 128 any 823255 exact
// buffer: f16 128 zero 82366 exact
cuda_tile.module @program {
  entry @main(%in: tile<ptr<f16>>, %out: tile<ptr<f16>>) optimization_hints=<default = {num_worker_warps_per_cta = 8}> {
    %zero = constant <i32: 0> : tile<i32>
    %ones = constant <f16: 1.0> : tile<8x16xf16>
    %s = scan %ones dim=0 reverse=true identities=[0.000000e+00 : f16] : tile<8x16xf16> -> tile<8x16xf16> 
    (%a: tile<f16>, %b: tile<f16>) {
      %x = addf %a, %b  : tile<f16>
      yield %x : tile<f16>
    }
    %tview = make_tensor_view %out, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xf16, strides=[16,1]>
    %pview = make_partition_view %tview : partition_view<tile=(8x16), tensor_view<8x16xf16, strides=[16,1]>>
    %13 = store_view_tko weak %s, %pview[%zero, %zero] : tile<8x16xf16>, partition_view<tile=(8x16), tensor_view<8x16xf16, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
