// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @sum(
entry @sum() {
  %0 = constant <f32: 1.0> : tile<8x16xf32>
  // A sum of nothing but -0 is -0.
  // CHECK: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: %[[ROW:.*]] = tileaa.reduce %{{.*}} from %[[ZERO]] along 1 {
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK:   %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK:   tileaa.yield %[[S]] : f32
  // CHECK: } : (tensor<8x16xf32>, f32) -> tensor<8xf32>
  %1 = reduce %0 dim=1 identities=[0.000000e+00 : f32] : tile<8x16xf32> -> tile<8xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    %s = addf %a, %b : tile<f32>
    yield %s : tile<f32>
  }
  // A tile of rank 1 is reduced to a scalar. A maximum that ignores NaN begins with one: it is NaN if all are.
  // CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK: tileaa.reduce %[[ROW]] from %[[NAN]] along 0
  // CHECK: } : (tensor<8xf32>, f32) -> f32
  %2 = reduce %1 dim=0 identities=[0xFF800000 : f32] : tile<8xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %s = maxf %a, %b : tile<f32>
    yield %s : tile<f32>
  }
  return
}

// CHECK-LABEL: func.func @two(
entry @two() {
  %x = constant <f32: 1.0> : tile<8xf32>
  %i = iota : tile<8xi32>
  // CHECK: tileaa.reduce %{{.*}}, %{{.*}} from %{{.*}}, %{{.*}} along 0 {
  // CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i32, %{{.*}}: i32):
  %0:2 = reduce %x, %i dim=0 identities=[0xFF800000 : f32, 0 : i32] : tile<8xf32>, tile<8xi32> -> tile<f32>, tile<i32>
  (%a: tile<f32>, %b: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
    %c = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
    %m = select %c, %a, %b : tile<i1>, tile<f32>
    %n = select %c, %j, %k : tile<i1>, tile<i32>
    yield %m, %n : tile<f32>, tile<i32>
  }
  // CHECK: tileaa.scan %{{.*}} from %{{.*}} along 0 reverse
  %1 = scan %i dim=0 reverse=true identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
  (%a: tile<i32>, %b: tile<i32>) {
    %s = addi %a, %b : tile<i32>
    yield %s : tile<i32>
  }
  return
}

// CHECK-LABEL: func.func @of_one_operand(
entry @of_one_operand() {
  %0 = constant <f32: 1.0> : tile<8xf32>
  // The identity is what the module says: the function is no sum and no extremum.
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK: tileaa.reduce %{{.*}} from %[[ONE]] along 0
  // CHECK: arith.negf
  %1 = reduce %0 dim=0 identities=[1.0 : f32] : tile<8xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %s = negf %b : tile<f32>
    yield %s : tile<f32>
  }
  print_tko "%f", %1 : tile<f32> -> token
  return
}
}
