// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @atomic {
  // CHECK-LABEL: entry @pointers
  entry @pointers(%p: tile<ptr<i32>>, %x: tile<i32>, %m: tile<i1>) {
    // CHECK: %[[T:.*]] = make_token : token
    %t = make_token : token
    // CHECK: atomic_cas_tko acq_rel device %arg0, %arg1, %arg1, %arg2 token=%[[T]] : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %0, %t0 = atomic_cas_tko acq_rel device %p, %x, %x, %m token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    // CHECK: atomic_rmw_tko relaxed tl_blk %arg0, umax, %arg1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %1, %t1 = atomic_rmw_tko relaxed tl_blk %p, umax, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
  // CHECK-LABEL: entry @views
  entry @views(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %c = constant <f32: 1.0> : tile<8xf32>
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // CHECK: atomic_red_view_tko relaxed device %pview[%arg1], addf, %cst_1_f32 : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %0 = atomic_red_view_tko relaxed device %v[%i], addf, %c : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // CHECK-LABEL: entry @multicast
  entry @multicast(%p: tile<ptr<i32, <multicast>>>, %i: tile<i32>) {
    %c = constant <i32: 1> : tile<8xi32>
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %0 = make_token : token
    // CHECK: %[[R:.*]], %[[T:.*]] = multimem_load_reduce_view_tko relaxed sys %pview[%arg1] token = %{{.*}} : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<8xi32>, token
    %1, %2 = multimem_load_reduce_view_tko relaxed sys %v[%i] token = %0 : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<8xi32>, token
    // CHECK: multimem_reduce_view_tko relaxed sys %pview, %cst_1_i32[%arg1] inbounds = [true] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32>, tile<i32> -> token
    %3 = multimem_reduce_view_tko relaxed sys %v, %c[%i] inbounds = [true] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32>, tile<i32> -> token
    // CHECK: multimem_store_view_tko weak %pview, %cst_1_i32[%arg1] token = %{{.*}} : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32>, tile<i32>, token -> token
    %4 = multimem_store_view_tko weak %v, %c[%i] token = %3 : partition_view<tile=(8), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32>, tile<i32>, token -> token
    return
  }
}
