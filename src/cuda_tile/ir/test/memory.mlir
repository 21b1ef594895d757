// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @memory {
  // CHECK: global private  constant @table alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  global private constant @table alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
  // CHECK: global  @counter <i32: 0> : tile<1xi32>
  global @counter <i32: 0> : tile<1xi32>
  // CHECK-LABEL: entry @through_views
  entry @through_views(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>
    // CHECK: %[[T:.*]] = make_token : token
    %token = make_token : token
    // CHECK: %tile, %result_token = load_view_tko weak %pview[%arg1, %arg1] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    %tile, %loaded = load_view_tko weak %v[%i, %i] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    // CHECK: load_view_tko acquire sys %pview[%arg1, %arg1] token = %[[T]] optimization_hints = <default = {allow_tma = false, latency = 3}, sm_100 = {latency = 5}> inbounds = [true, false] :
    %other, %loaded2 = load_view_tko acquire sys %v[%i, %i] token = %token optimization_hints = <default = {allow_tma = false, latency = 3}, sm_100 = {latency = 5}> inbounds = [true, false] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    // CHECK: store_view_tko release device %tile, %pview[%arg1, %arg1] token = %result_token : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %stored = store_view_tko release device %tile, %v[%i, %i] token = %loaded : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  // Along the sparse dimension the index is a list.
  // CHECK-LABEL: entry @gather
  entry @gather(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    // CHECK: %[[ROWS:.*]] = iota
    %rows = iota : tile<4xi32>
    // CHECK: load_view_tko weak %gsview[%[[ROWS]], %arg1] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    %tile, %token = load_view_tko weak %g[%rows, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    // The list may be of another integer type than the scalars.
    %long = iota : tile<4xi64>
    // CHECK: load_view_tko weak %gsview[%{{.*}}, %arg1] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi64>, tile<i32> -> tile<4x8xf32>, token
    %tile2, %token2 = load_view_tko weak %g[%long, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi64>, tile<i32> -> tile<4x8xf32>, token
    return
  }
  // CHECK-LABEL: entry @through_pointers
  entry @through_pointers(%p: tile<ptr<f32>>, %m: tile<i1>, %x: tile<f32>) {
    // CHECK: %[[G:.*]] = get_global @table : tile<ptr<f32>>
    %g = get_global @table : tile<ptr<f32>>
    // CHECK: alloca num_elem = 0, alignment = 8 : tile<ptr<i64>>
    %none = alloca num_elem = 0, alignment = 8 : tile<ptr<i64>>
    // CHECK: %[[L:.*]] = alloca num_elem = 64, alignment = 16 global : tile<ptr<f32>>
    %local = alloca num_elem = 64, alignment = 16 global : tile<ptr<f32>>
    %c = constant <i64: 3> : tile<i64>
    // CHECK: %[[Q:.*]] = offset %[[G]], %cst_3_i64 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %q = offset %g, %c : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    // CHECK: load_ptr_tko weak %[[Q]] : tile<ptr<f32>> -> tile<f32>, token
    %0, %t0 = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    // One more operand is the mask or the padding value, by its type.
    // CHECK: load_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
    %1, %t1 = load_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
    // CHECK: load_ptr_tko weak %arg0, %arg2 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %2, %t2 = load_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    // CHECK: load_ptr_tko relaxed device %arg0, %arg1, %arg2 token=%{{.*}} optimization_hints = <default = {latency = 2}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %3, %t3 = load_ptr_tko relaxed device %p, %m, %x token=%t2 optimization_hints = <default = {latency = 2}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    // CHECK: store_ptr_tko weak %[[L]], %arg2, %arg1 token=%{{.*}} : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %4 = store_ptr_tko weak %local, %x, %m token=%t3 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
}
