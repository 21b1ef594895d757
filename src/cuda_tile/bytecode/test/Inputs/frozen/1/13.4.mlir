// What version 13.4 added.
cuda_tile.module @kernels producer "frozen 1" {
  entry @since_13_4(%p: tile<ptr<f32>>, %q: tile<ptr<f32, <none>>>, %x: tile<f32>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %foreign = make_tensor_view %q, shape = [4], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>
    %view = make_partition_view %tensor : partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>
    %tile, %loaded = load_view_tko weak %view[%i, %i] inbounds = [true, false] : partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x4xf32>, token
    %stored = store_view_tko weak %tile, %view[%i, %i] inbounds = [false, true] : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    %corner = extract %tile[%i, %i] : tile<4x4xf32> -> tile<2x2xf32>
    %patched = insert %corner, %tile[%i, %i] : tile<2x2xf32>, tile<4x4xf32>
    %power = fpowi %x, %i : tile<f32>, tile<i32>
    %clamped = ftoi %x signed saturating : tile<f32> -> tile<i32>
    %tf32 = ftof %x rounding<nearest_away> : tile<f32> -> tile<tf32>
    %e5m3 = ftof %x : tile<f32> -> tile<fnv8E5M3FNU>
    %scales = constant <fnv8E5M3FNU: [1.0, 4.0]> : tile<2xfnv8E5M3FNU>
    %scale = constant <fnv8E5M3FNU: 2.0> : tile<2xfnv8E5M3FNU>
    %launched = gdc_launch_dependents_tko -> token
    %launched2 = gdc_launch_dependents_tko token = %launched -> token
    %waited = gdc_wait_tko -> token
    %waited2 = gdc_wait_tko token = %waited -> token
    %fenced = memory_fence_alias_tko %waited2
    return
  }
}
