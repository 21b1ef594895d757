// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --verify-each | FileCheck %s

!v = !tileaa.view<[?, ?], i32, strides = [?, 1]>

// No input tells how long the reduced dimension is: the loop also yields the elements, whose tile does.
// CHECK-LABEL: func.func @columns_alone
func.func @columns_alone(%x: i64, %n: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %view = tileaa.make_view %x, shape [%n, %n], strides [%n] : !v
  // CHECK-NOT: tileaa.iota
  // CHECK: %[[SUM:.*]] = linalg.fill {{.*}} -> tensor<i32>
  // CHECK: %[[ELEMENTS:.*]] = tensor.empty() : tensor<16xi32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} outs(%[[SUM]], %[[ELEMENTS]] : tensor<i32>, tensor<16xi32>)
  // CHECK: linalg.index 0
  %column = tileaa.iota : tensor<16xi32>
  %square = arith.muli %column, %column : tensor<16xi32>
  %sum = "tileaa.reduce"(%square, %zero) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%acc: i32, %e: i32):
    %s = arith.addi %acc, %e : i32
    tileaa.yield %s : i32
  }) : (tensor<16xi32>, i32) -> i32
  %tile = tensor.from_elements %sum : tensor<1x1xi32>
  %t1 = tileaa.store_view %tile, %view[%c0, %c0] dims [0, 1] : tensor<1x1xi32>, !v
  return
}

// An input that runs along the reduced dimension tells its length: nothing else is yielded.
// CHECK-LABEL: func.func @columns_and_elements
func.func @columns_and_elements(%x: i64, %n: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %view = tileaa.make_view %x, shape [%n, %n], strides [%n] : !v
  %row, %t0 = tileaa.load_view %view[%c0, %c0] dims [0, 1] : !v -> tensor<1x16xi32>
  %flat = tileaa.reshape %row : tensor<1x16xi32> -> tensor<16xi32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins({{.*}}) outs(%{{[^,]*}} : tensor<i32>)
  %column = tileaa.iota : tensor<16xi32>
  %product = arith.muli %column, %flat : tensor<16xi32>
  %sum = "tileaa.reduce"(%product, %zero) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%acc: i32, %e: i32):
    %s = arith.addi %acc, %e : i32
    tileaa.yield %s : i32
  }) : (tensor<16xi32>, i32) -> i32
  %tile = tensor.from_elements %sum : tensor<1x1xi32>
  %t1 = tileaa.store_view %tile, %view[%c0, %c0] dims [0, 1] : tensor<1x1xi32>, !v
  return
}
