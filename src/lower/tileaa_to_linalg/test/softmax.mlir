// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --verify-each | FileCheck %s

!v = !tileaa.view<[?, 64], f32, strides = [64, 1]>

// The exponentials are computed once, by the loop that sums them, and kept because they are used again; the broadcasts
// become indexing maps.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: i64, %rows: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %view = tileaa.make_view %x, shape [%rows], strides [] : !v
  %tile, %t0 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !v -> tensor<4x64xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // The element comes first: whether it is NaN is known before the accumulator is.
  // CHECK: ^bb0(%[[ELEMENT:.*]]: f32, %[[ACC:.*]]: f32):
  // CHECK: arith.maxnumf %[[ELEMENT]], %[[ACC]]
  %max = "tileaa.reduce"(%tile, %lowest) <{dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maxnumf %acc, %e : f32
    tileaa.yield %m : f32
  }) : (tensor<4x64xf32>, f32) -> tensor<4xf32>
  %column = tileaa.reshape %max : tensor<4xf32> -> tensor<4x1xf32>
  %all = tileaa.broadcast %column : tensor<4x1xf32> -> tensor<4x64xf32>
  %difference = arith.subf %tile, %all : tensor<4x64xf32>
  %power = math.exp %difference : tensor<4x64xf32>
  // CHECK: %[[SUM:.*]]:2 = linalg.generic
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK-NOT: math.exp
  %sum = "tileaa.reduce"(%power, %zero) <{dim = 1 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%acc: f32, %e: f32):
    %s = arith.addf %acc, %e : f32
    tileaa.yield %s : f32
  }) : (tensor<4x64xf32>, f32) -> tensor<4xf32>
  %sums = tileaa.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %divisor = tileaa.broadcast %sums : tensor<4x1xf32> -> tensor<4x64xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]]#1, %[[SUM]]#0 :
  // CHECK: arith.divf
  %result = arith.divf %power, %divisor : tensor<4x64xf32>
  %t1 = tileaa.store_view %result, %view[%c0, %c0] dims [0, 1] : tensor<4x64xf32>, !v
  return
}

// A function that is no kernel is left alone.
// CHECK-LABEL: func.func @host
// CHECK: arith.addf {{.*}} tensor<4xf32>
func.func @host(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
