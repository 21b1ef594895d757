// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @view {
  // CHECK-LABEL: entry @views
  entry @views(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    // CHECK: %tview = make_tensor_view %arg0, shape = [%arg1, 64], strides = [%arg2, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
    %t = make_tensor_view %p, shape = [%n, 64], strides = [%s, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
    // CHECK: make_tensor_view %arg0, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
    %u = make_tensor_view %p, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
    // CHECK: make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>
    %scalar = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
    // CHECK: %[[S:.*]]:2 = get_tensor_shape %tview : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>
    %shape:2 = get_tensor_shape %t : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>
    // Results of several types, and none.
    // CHECK: get_tensor_shape %tview : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>, tile<i64>
    %mixed:2 = get_tensor_shape %t : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>, tile<i64>
    // CHECK: get_tensor_shape %{{.*}} : tensor_view<f32> -> ()
    get_tensor_shape %scalar : tensor_view<f32> -> ()
    // An identity dim_map is not printed.
    // CHECK: %pview = make_partition_view %tview : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>>
    %v = make_partition_view %t : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>, dim_map=[0, 1]>
    // CHECK: make_partition_view %tview : partition_view<tile=(16x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
    %w = make_partition_view %t : partition_view<tile=(16x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
    // CHECK: %sview = make_strided_view %tview : strided_view<tile=(4x4), traversal_strides=[3,1], padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>>
    %x = make_strided_view %t : strided_view<tile=(4x4), traversal_strides=[3,1], padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>>
    // CHECK: %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
    %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
    // CHECK: get_index_space_shape %pview : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>> -> tile<i64>
    %grid:2 = get_index_space_shape %v : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>> -> tile<i64>
    return
  }
  // CHECK-LABEL: entry @grid
  entry @grid() {
    // CHECK: %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    // CHECK: %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %a, %b, %c = get_num_tile_blocks : tile<i32>
    return
  }
}
