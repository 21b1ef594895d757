// What version 13.3 added.
cuda_tile.module @kernels producer "frozen 1" {
  global private constant @secret alignment = 16 <i8: [1, 2, 3, 4]> : tile<4xi8>
  global private @state alignment = 8 <i64: 0> : tile<1xi64>
  global constant @open alignment = 4 <f32: 0.5> : tile<2xf32>

  entry @since_13_3(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) optimization_hints=<default = {num_cta_in_cga = 2, num_worker_warps_per_cta = 4, occupancy = 3}, sm_100 = {num_worker_warps_per_cta = 8}> {
    %exp = exp %x rounding<approx> : tile<f32>
    %local = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %shared = alloca num_elem = 1, alignment = 4 global : tile<ptr<i32>>
    %floats = constant <f32: 0.5> : tile<8xf32>
    %bytes = pack %floats : tile<8xf32> -> tile<32xi8>
    %fours = unpack %bytes : tile<32xi8> -> tile<64xf4E2M1FN>
    %nibbles = unpack %bytes : tile<32xi8> -> tile<64xi4>
    %tensor = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %gather = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    %padded = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=1>
    %rows = iota : tile<4xi32>
    %tile, %loaded = load_view_tko weak %gather[%rows, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    %strided = make_strided_view %tensor : strided_view<tile=(4x4), traversal_strides=[3,1], tensor_view<64x64xf32, strides=[64,1]>>
    %turned = make_strided_view %tensor : strided_view<tile=(4x4), traversal_strides=[3,1], padding_value = nan, tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    %ones = constant <f32: 1.0> : tile<4x4xf32>
    %view = make_partition_view %tensor : partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>
    %added = atomic_red_view_tko relaxed device %view[%i, %i], addf, %ones : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    %more = atomic_red_view_tko relaxed tl_blk %view[%i, %i], addf, %ones token = %added : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @products() {
    %a = constant <f4E2M1FN: 1.0> : tile<4x64xf4E2M1FN>
    %b = constant <f4E2M1FN: 1.0> : tile<64x4xf4E2M1FN>
    %c = constant <f32: 0.0> : tile<4x4xf32>
    %s = constant <f8E4M3FN: 1.0> : tile<4x4xf8E4M3FN>
    %0 = mmaf_scaled %a, %b, %c, %s, %s : tile<4x64xf4E2M1FN>, tile<64x4xf4E2M1FN>, tile<4x4xf32>, tile<4x4xf8E4M3FN>, tile<4x4xf8E4M3FN>
    %d = constant <f8E5M2: 1.0> : tile<4x8xf8E5M2>
    %e = constant <f8E5M2: 1.0> : tile<8x4xf8E5M2>
    %1 = mmaf %d, %e, %c fast_acc : tile<4x8xf8E5M2>, tile<8x4xf8E5M2>, tile<4x4xf32>
    return
  }
}
