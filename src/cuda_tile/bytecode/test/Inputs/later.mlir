// What no frozen file has: version 13.5, whose sources are not published, previews, and a use of what came later.
cuda_tile.module @kernels {
  entry @since_13_5(%p: tile<ptr<f32>> {cuda_tile.note = 1 : i32}, %q: tile<ptr<i32, <multicast>>>, %u: tile<ptr<f32, <unicast>>>, %i: tile<i32>) {
    %c = constant <f32: 1.0> : tile<8xf32>
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %0 = atomic_red_view_tko relaxed device %v[%i], addf, %c inbounds = [true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %d = constant <i32: 1> : tile<8xi32>
    %m = make_tensor_view %q, shape = [64], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %w = make_partition_view %m : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %1, %2 = multimem_load_reduce_view_tko relaxed sys %w[%i] token = %0 : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xi32>, token
    %3 = multimem_reduce_view_tko relaxed sys %w, %d[%i] inbounds = [true] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32>, tile<i32> -> token
    %4 = multimem_store_view_tko weak %w, %d[%i] token = %3 : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32>, tile<i32> -> token
    return
  }
  entry @printed() {
    %0 = print_tko "first" -> token
    %1 = join_tokens %0, %0 : token
    return
  }
  entry @call(%n: tile<i32>) {
    %0 = preview$call "f"(%n) {const_args = []} : (tile<i32>) -> (tile<i64>)
    return
  }
}
