// On GPUs the results of a scan of constants had two layouts, and one was stored by the other's.
// launch: 18780 grid 1 1 1
// buffer: i16 512 zero 1 exact
cuda_tile.module @program {
  entry @main(%out: tile<ptr<i16>>) {
    %x = constant <i16: -29544> : tile<16x4x8xi16>
    %s:2 = scan %x, %x dim=1 reverse=false identities=[1 : i16, 0 : i16] : tile<16x4x8xi16>, tile<16x4x8xi16> -> tile<16x4x8xi16>, tile<16x4x8xi16>
    (%a: tile<i16>, %b: tile<i16>, %c: tile<i16>, %d: tile<i16>) {
      %ab = muli %a, %b : tile<i16>
      %cb = muli %c, %b : tile<i16>
      %cbd = addi %cb, %d : tile<i16>
      yield %ab, %cbd : tile<i16>, tile<i16>
    }
    %v = make_tensor_view %out, shape = [16, 4, 8], strides = [32, 8, 1] : tensor_view<16x4x8xi16, strides=[32,8,1]>
    %p = make_partition_view %v : partition_view<tile=(16x4x8), tensor_view<16x4x8xi16, strides=[32,8,1]>>
    %z = constant <i32: 0> : tile<i32>
    %t = store_view_tko weak %s#1, %p[%z, %z, %z] : tile<16x4x8xi16>, partition_view<tile=(16x4x8), tensor_view<16x4x8xi16, strides=[32,8,1]>>, tile<i32> -> token
    return
  }
}
