// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-legalize-elementwise))' | FileCheck %s
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-legalize-elementwise{native=add,exp2}))' | FileCheck %s --check-prefix=NATIVE
// That the results are right is for python/test/numerics to say.

// The unused low bits of tf32 do not count.
// CHECK-LABEL: func @read_tf32
func.func @read_tf32(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-DAG: %[[MASK:.*]] = arith.constant dense<-8192> : vector<8xi32>
  // CHECK-DAG: %[[BITS:.*]] = arith.bitcast %arg0
  // CHECK: %[[KEPT:.*]] = arith.andi %[[BITS]], %[[MASK]]
  // CHECK: %[[NUMBER:.*]] = arith.bitcast %[[KEPT]]
  // CHECK: arith.select %{{.*}}, %arg0, %[[NUMBER]]
  %0 = tileaa.convert %x : vector<8xf32> as tf32 to vector<8xf32> as f32
  return %0 : vector<8xf32>
}

// A float becomes a bit by whether it is not zero.
// CHECK-LABEL: func @to_bit
func.func @to_bit(%x: f16) -> i1 {
  // CHECK: %[[WIDE:.*]] = arith.extf %arg0 : f16 to f32
  // CHECK: arith.cmpf une, %[[WIDE]], %{{.*}} : f32
  %0 = tileaa.convert %x rounding zero : f16 as f16 to i1 as i1
  return %0 : i1
}

// A step that arith rounds by itself stays one, on tiles as on scalars.
// CHECK-LABEL: func @plain
func.func @plain(%x: tensor<4x4xi8>) -> tensor<4x4xf16> {
  // CHECK: arith.sitofp %arg0 : tensor<4x4xi8> to tensor<4x4xf32>
  // CHECK-NEXT: arith.truncf %{{.*}} : tensor<4x4xf32> to tensor<4x4xf16>
  %0 = tileaa.convert %x : tensor<4x4xi8> as i8 to tensor<4x4xf16> as f16
  return %0 : tensor<4x4xf16>
}

// CHECK-LABEL: func @write
func.func @write(%x: f32) -> i8 {
  // CHECK-NOT: tileaa.
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  %0 = tileaa.convert %x : f32 as f32 to i8 as f4E2M1FN
  return %0 : i8
}

// Halves meet in f32, bf16 in f64: its products overflow f32.
// CHECK-LABEL: func @rounded
// NATIVE-LABEL: func @rounded
func.func @rounded(%x: vector<4xf16>, %y: vector<4xbf16>) -> (vector<4xf16>, vector<4xbf16>) {
  // CHECK: arith.addf %{{.*}} : vector<4xf32>
  // NATIVE: tileaa.float add %arg0, %arg0 rounding zero : vector<4xf16>
  %0 = tileaa.float add %x, %x rounding zero : vector<4xf16>
  // CHECK: arith.mulf %{{.*}} : vector<4xf64>
  // NATIVE: arith.mulf %{{.*}} : vector<4xf64>
  %1 = tileaa.float mul %y, %y rounding zero : vector<4xbf16>
  return %0, %1 : vector<4xf16>, vector<4xbf16>
}

// Operands first, then the result.
// CHECK-LABEL: func @flushed
func.func @flushed(%x: f32, %y: f32) -> f32 {
  // CHECK: %[[X:.*]] = arith.select
  // CHECK: %[[Y:.*]] = arith.select
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[SUM]]
  %0 = tileaa.float add %x, %y flush : f32
  return %0 : f32
}

// Next to the larger zero one comparison decides; else equal numbers may be zeros of two signs, and either one NaN.
// CHECK-LABEL: func @larger
func.func @larger(%x: f32, %y: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[ABOVE:.*]] = arith.cmpf olt, %[[ZERO:.*]], %arg0
  // CHECK-NEXT: arith.select %[[ABOVE]], %arg0, %[[ZERO]]
  %0 = tileaa.float max %zero, %x : f32
  // CHECK-NEXT: arith.bitcast
  // CHECK: arith.andi
  // CHECK: arith.cmpf une
  %1 = tileaa.float max %x, %y : f32
  return %0, %1 : f32, f32
}
