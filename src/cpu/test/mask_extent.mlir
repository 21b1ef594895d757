// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-place-loads --verify-each | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Rows of %ids below %count are real, the others zero: the columns of the product end with the last real one, which
// is looked for once, before the loop.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %{{[a-z0-9]+}}: i64, %[[COUNT:[a-z0-9]+]]: i64, %[[IDS:[a-z0-9]+]]: tensor<32xi64>
// CHECK: %[[BOUND:.*]] = scf.for %[[I:.*]] = %c0{{.*}} to %c32{{.*}} step %c1{{.*}} iter_args(%[[LAST:.*]] = %c0{{.*}}) -> (index) {
// CHECK:   %[[ID:.*]] = tensor.extract %[[IDS]][%[[I]]]
// CHECK:   %[[REAL:.*]] = arith.cmpi ult, %[[ID]], %[[COUNT]]
// CHECK:   %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK:   arith.select %[[REAL]], %[[NEXT]], %[[LAST]]
// CHECK: }
// CHECK: scf.for
// CHECK: cpu.mma {{.*}} bounds(%c256{{.*}}, %[[BOUND]], %c64{{.*}}) {ragged}
func.func @columns(%array: i64, %count: i64, %ids: tensor<32xi64>, %weights: tensor<256x64xf32>, %zeros: tensor<256x32xf32>, %n: index) -> tensor<256x32xf32> attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<256x32xf32>) {
    %step = arith.index_cast %k : index to i64
    %empty = tensor.empty() : tensor<32x64xf32>
    %rows = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<32xi64>) outs(%empty : tensor<32x64xf32>) {
    ^bb0(%id: i64, %out: f32):
      %zero = arith.constant 0.0 : f32
      %column = linalg.index 1 : index
      %at = arith.index_cast %column : index to i64
      %address = arith.addi %array, %at : i64
      %inRows = arith.cmpi ult, %id, %count : i64
      %inColumns = arith.cmpi ult, %at, %step : i64
      %mask = arith.andi %inRows, %inColumns : i1
      %value = cpu.ptr_load %address, %mask, %zero : i64, i1, f32
      linalg.yield %value : f32
    } -> tensor<32x64xf32>
    %other = tensor.empty() : tensor<64x32xf32>
    %turned = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<32x64xf32>) outs(%other : tensor<64x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x32xf32>
    %next = cpu.mma %weights, %turned into %acc : tensor<256x64xf32>, tensor<64x32xf32>, tensor<256x32xf32> -> tensor<256x32xf32>
    scf.yield %next : tensor<256x32xf32>
  }
  return %sum : tensor<256x32xf32>
}

// What is not real is one: all of it counts.
// CHECK-LABEL: func.func @padding_of_ones
// CHECK-NOT: tensor.extract
// CHECK: cpu.mma {{.*}} bounds(%c32{{.*}}, %c64{{.*}}, %c16{{.*}}) :
func.func @padding_of_ones(%array: i64, %count: i64, %ids: tensor<32xi64>, %rhs: tensor<16x64xf32>, %acc: tensor<32x64xf32>) -> tensor<32x64xf32> attributes {tileaa.kernel} {
  %empty = tensor.empty() : tensor<32x16xf32>
  %rows = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<32xi64>) outs(%empty : tensor<32x16xf32>) {
  ^bb0(%id: i64, %out: f32):
    %one = arith.constant 1.0 : f32
    %mask = arith.cmpi ult, %id, %count : i64
    %value = cpu.ptr_load %array, %mask, %one : i64, i1, f32
    linalg.yield %value : f32
  } -> tensor<32x16xf32>
  %sum = cpu.mma %rows, %rhs into %acc : tensor<32x16xf32>, tensor<16x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  return %sum : tensor<32x64xf32>
}

// The mask is of rows and columns together: neither has an end of its own.
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: tensor.extract
// CHECK: cpu.mma {{.*}} bounds(%c32{{.*}}, %c64{{.*}}, %c16{{.*}}) :
func.func @diagonal(%array: i64, %ids: tensor<32xi64>, %rhs: tensor<16x64xf32>, %acc: tensor<32x64xf32>) -> tensor<32x64xf32> attributes {tileaa.kernel} {
  %empty = tensor.empty() : tensor<32x16xf32>
  %rows = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<32xi64>) outs(%empty : tensor<32x16xf32>) {
  ^bb0(%id: i64, %out: f32):
    %zero = arith.constant 0.0 : f32
    %column = linalg.index 1 : index
    %at = arith.index_cast %column : index to i64
    %mask = arith.cmpi ult, %id, %at : i64
    %value = cpu.ptr_load %array, %mask, %zero : i64, i1, f32
    linalg.yield %value : f32
  } -> tensor<32x16xf32>
  %sum = cpu.mma %rows, %rhs into %acc : tensor<32x16xf32>, tensor<16x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  return %sum : tensor<32x64xf32>
}
