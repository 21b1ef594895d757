// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

!view = !cuda_tile.partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[?,1]>>

cuda_tile.module @m {
// CHECK-LABEL: func.func @pointers(
entry @pointers(%p: tile<ptr<i32>>, %x: tile<i32>) {
  %t = make_token : token
  // CHECK: %[[OLD:.*]], %[[T:.*]] = tileaa.atomic_rmw addi acq_rel %arg0, %arg1 after %{{.*}} : i64, i32,
  %0, %t0 = atomic_rmw_tko acq_rel device %p, add, %x token=%t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // CHECK: tileaa.atomic_rmw assign relaxed %arg0, %[[OLD]] after %[[T]]
  %1, %t1 = atomic_rmw_tko relaxed sys %p, xchg, %0 token=%t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // CHECK: tileaa.atomic_rmw maxu release %arg0
  %2, %t2 = atomic_rmw_tko release tl_blk %p, umax, %0 token=%t1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // CHECK: tileaa.atomic_cas acquire %arg0, %arg1, %[[OLD]] after %{{.*}} : i64, i32,
  %3, %t3 = atomic_cas_tko acquire device %p, %x, %0 token=%t2 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // CHECK: tileaa.load_ptr acquire %arg0 : i64, -> i32
  %4, %t4 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
  // CHECK: tileaa.store_ptr release %arg0
  %t5 = store_ptr_tko release device %p, %4 : tile<ptr<i32>>, tile<i32> -> token
  return
}

// An atomic or ordered access of a view is one of its elements, those inside of the tensor.
// CHECK-LABEL: func.func @views(
entry @views(%p: tile<ptr<f32>>, %m: tile<i32>, %s: tile<i32>, %i: tile<i32>) {
  %x = constant <f32: 1.0> : tile<4x8xf32>
  %v = make_tensor_view %p, shape = [%m, 8], strides = [%s, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[?,1]>
  %w = make_partition_view %v : !view
  // CHECK: arith.cmpi ult
  // CHECK: tileaa.atomic_rmw addf relaxed %{{.*}}, %{{.*}} mask %{{.*}} : tensor<4x8xi64>, tensor<4x8xf32>, tensor<4x8xi1>
  %t = atomic_red_view_tko relaxed device %w[%i, %i], addf, %x : tile<4x8xf32>, !view, tile<i32> -> token
  // CHECK: tileaa.load_ptr acquire %{{.*}} mask
  %y, %t1 = load_view_tko acquire device %w[%i, %i] : !view, tile<i32> -> tile<4x8xf32>, token
  // CHECK: tileaa.store_ptr release %{{.*}}, %{{.*}} : tensor<4x8xi64>, tensor<4x8xf32>,
  %t2 = store_view_tko release device %y, %w[%i, %i] inbounds = [true, true] : tile<4x8xf32>, !view, tile<i32> -> token
  return
}
}
