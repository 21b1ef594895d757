// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-legalize-scan --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>)
func.func @columns(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[START:.*]] = arith.constant dense<0.000000e+00> : tensor<1x16xf32>
  // CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args(%[[S:.*]] = %[[START]], %[[T:.*]] = %{{.*}}) -> (tensor<1x16xf32>, tensor<8x16xf32>) {
  // CHECK:   %[[ROW:.*]] = tileaa.extract %[[X]][%[[I]], %c0] : tensor<8x16xf32> -> tensor<1x16xf32>
  // CHECK:   %[[SUM:.*]] = arith.addf %[[S]], %[[ROW]] : tensor<1x16xf32>
  // CHECK:   %[[U:.*]] = tileaa.insert %[[SUM]] into %[[T]][%[[I]], %c0]
  // CHECK:   scf.yield %[[SUM]], %[[U]]
  // CHECK: }
  // CHECK: return %[[R]]#1
  %zero = arith.constant 0.0 : f32
  %0 = tileaa.scan %x from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<8x16xf32>, f32) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// From the end, two tiles, a constant and a scalar from outside in the body.
// CHECK-LABEL: func.func @reverse(
// CHECK: scf.for %[[I:.*]] = %c0 to %c8
// CHECK:   %[[AT:.*]] = arith.subi %c7, %[[I]]
// CHECK:   tileaa.extract %{{.*}}[%[[AT]]] : tensor<8xi32> -> tensor<1xi32>
// CHECK:   tileaa.extract %{{.*}}[%[[AT]]] : tensor<8xi32> -> tensor<1xi32>
// CHECK:   arith.muli %{{.*}}, %{{.*}} : tensor<1xi32>
func.func @reverse(%x: tensor<8xi32>, %k: i32) -> (tensor<8xi32>, tensor<8xi32>) {
  %zero = arith.constant 0 : i32
  %0:2 = tileaa.scan %x, %x from %zero, %zero along 0 reverse {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %two = arith.constant 2 : i32
    %s = arith.muli %a, %two : i32
    %t = arith.addi %s, %k : i32
    %u = arith.maxsi %c, %d : i32
    tileaa.yield %t, %u : i32, i32
  } : (tensor<8xi32>, tensor<8xi32>, i32, i32) -> (tensor<8xi32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xi32>, tensor<8xi32>
}

// -----

func.func @other(%x: tensor<8xi32>, %c: i1) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %0 = tileaa.scan %x from %zero along 0 {
  ^bb0(%a: i32, %b: i32):
    // expected-error @+1 {{scf.if inside a scan is not lowered, expected elementwise operations}}
    %s = scf.if %c -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    }
    tileaa.yield %s : i32
  } : (tensor<8xi32>, i32) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
