// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(cpu-expand-math))' | FileCheck %s

// The magnitude of integers in vectors of several axes, which math-to-llvm does not convert; that of the smallest is
// itself.
// CHECK-LABEL: func @of_two_axes(%arg0: vector<4x16xi32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<4x16xi32>
// CHECK: %[[NEGATIVE:.*]] = arith.subi %[[ZERO]], %arg0
// CHECK: arith.maxsi %arg0, %[[NEGATIVE]]
func.func @of_two_axes(%x: vector<4x16xi32>) -> vector<4x16xi32> attributes {tileaa.kernel} {
  %y = math.absi %x : vector<4x16xi32>
  return %y : vector<4x16xi32>
}

// One axis, and a number, are left alone.
// CHECK-LABEL: func @of_one_axis
// CHECK: math.absi %{{.*}} : vector<16xi32>
// CHECK: math.absi %{{.*}} : i32
func.func @of_one_axis(%x: vector<16xi32>, %n: i32) -> (vector<16xi32>, i32) attributes {tileaa.kernel} {
  %y = math.absi %x : vector<16xi32>
  %m = math.absi %n : i32
  return %y, %m : vector<16xi32>, i32
}
