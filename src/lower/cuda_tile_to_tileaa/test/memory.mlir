// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @pointers(
// CHECK-SAME: %[[P:.*]]: i64, %[[N:.*]]: i32)
entry @pointers(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %t = make_token : token
  // CHECK: %[[LANES:.*]] = tileaa.iota : tensor<64xi32>
  %i = iota : tile<64xi32>
  // A scalar is repeated without a detour over one element.
  // CHECK: %[[ALL:.*]] = tileaa.broadcast %[[P]] : i64 -> tensor<64xi64>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %r : tile<1xptr<f32>> -> tile<64xptr<f32>>
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[LANES]] : tensor<64xi32> to tensor<64xi64>
  // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %cst
  // CHECK: %[[AT:.*]] = arith.addi %[[ALL]], %[[BYTES]]
  %q = offset %b, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %nr = reshape %n : tile<i32> -> tile<1xi32>
  %nb = broadcast %nr : tile<1xi32> -> tile<64xi32>
  %mask = cmpi less_than %i, %nb, signed : tile<64xi32> -> tile<64xi1>
  %zero = constant <f32: 0.0> : tile<64xf32>
  // CHECK: %[[X:.*]], %[[T:.*]] = tileaa.load_ptr %[[AT]] mask %{{.*}} padding %{{.*}} : tensor<64xf32> after %{{.*}} : tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
  %x, %t1 = load_ptr_tko weak %q, %mask, %zero token=%t : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  // CHECK: tileaa.store_ptr %[[AT]], %[[X]] mask %{{.*}} after %[[T]]
  %t2 = store_ptr_tko weak %q, %x, %mask token=%t1 : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  // CHECK: tileaa.load_ptr %[[P]] : i64, -> f32
  %y, %t3 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  return
}

// Two halves are a byte.
// CHECK-LABEL: func.func @halves(
entry @halves(%p: tile<ptr<f4E2M1FN>>, %i: tile<i64>) {
  // CHECK: %[[BYTES:.*]] = arith.shrsi %arg1, %c1_i64
  // CHECK: arith.addi %arg0, %[[BYTES]]
  %0 = offset %p, %i : tile<ptr<f4E2M1FN>>, tile<i64> -> tile<ptr<f4E2M1FN>>
  return
}
}
