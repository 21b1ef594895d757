// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa --canonicalize --cse | FileCheck %s

cuda_tile.module @m {
// Offsets count elements and follow the dimensions of the tensor; tile dimension 0 runs along dimension 1 of it.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[P:.*]]: i64, %[[M:.*]]: i32, %[[S:.*]]: i32, %[[I:.*]]: i32, %[[J:.*]]: i32)
entry @transposed(%p: tile<ptr<f32>>, %m: tile<i32>, %s: tile<i32>, %i: tile<i32>, %j: tile<i32>) {
  %t = make_token : token
  // CHECK-DAG: %[[MI:.*]] = arith.index_cast %[[M]] : i32 to index
  // CHECK-DAG: %[[SI:.*]] = arith.index_cast %[[S]] : i32 to index
  // CHECK: %[[V:.*]] = tileaa.make_view %[[P]], shape[%[[MI]]], strides[%[[SI]]] : <[?, 64], f32, strides = [?, 1]>
  %v = make_tensor_view %p, shape = [%m, 64], strides = [%s, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
  %w = make_partition_view %v : partition_view<tile=(8x16), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
  // CHECK: %[[II:.*]] = arith.index_cast %[[I]]
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[II]], %c8
  // CHECK: %[[JI:.*]] = arith.index_cast %[[J]]
  // CHECK: %[[ROW:.*]] = arith.muli %[[JI]], %c16
  // CHECK: tileaa.load_view %[[V]][%[[ROW]], %[[COLUMN]]] after %{{.*}} dims [1, 0] padding neg_inf {inbounds = array<i1: true, false>}
  %x, %t1 = load_view_tko weak %w[%i, %j] token = %t inbounds = [false, true] : partition_view<tile=(8x16), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<8x16xf32>, token
  // CHECK: tileaa.store_view %{{.*}}, %[[V]][%[[ROW]], %[[COLUMN]]] after %{{.*}} dims [1, 0] hints <{default = {latency = 3 : i32}}>
  %t2 = store_view_tko weak %x, %w[%i, %j] token = %t1 optimization_hints = <default = {latency = 3}> : tile<8x16xf32>, partition_view<tile=(8x16), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
  return
}

// CHECK-LABEL: func.func @strided(
entry @strided(%p: tile<ptr<f32>>, %m: tile<i32>, %i: tile<i32>) {
  %v = make_tensor_view %p, shape = [%m], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %w = make_strided_view %v : strided_view<tile=(8), traversal_strides=[5], tensor_view<?xf32, strides=[1]>>
  // CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c5
  // CHECK: tileaa.load_view %{{.*}}[%[[AT]]] dims [0]
  %x, %t = load_view_tko weak %w[%i] : strided_view<tile=(8), traversal_strides=[5], tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %q = make_partition_view %v : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  // CHECK: %[[COUNT:.*]] = arith.ceildivsi %{{.*}}, %c8
  // CHECK: arith.muli %[[COUNT]], %c8
  %n = get_index_space_shape %q : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> -> tile<i32>
  %t2 = store_view_tko weak %x, %q[%n] : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}

// Rows picked by a tile of indices become addresses; rows outside of the tensor are masked.
// CHECK-LABEL: func.func @gathered(
entry @gathered(%p: tile<ptr<f32>>, %m: tile<i32>, %s: tile<i32>, %j: tile<i32>) {
  %rows = iota : tile<4xi32>
  %v = make_tensor_view %p, shape = [%m, 64], strides = [%s, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
  %w = make_gather_scatter_view %v : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<4x16xi1>
  // CHECK: tileaa.load_ptr %{{.*}} mask %[[MASK]] padding %{{.*}} : tensor<4x16xf32> : tensor<4x16xi64>, tensor<4x16xi1> -> tensor<4x16xf32>
  %x, %t = load_view_tko weak %w[%rows, %j] : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x16xf32>, token
  // CHECK: tileaa.store_ptr %{{.*}}, %{{.*}} mask %[[MASK]]
  %t2 = store_view_tko weak %x, %w[%rows, %j] token = %t : tile<4x16xf32>, gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
  return
}
}
