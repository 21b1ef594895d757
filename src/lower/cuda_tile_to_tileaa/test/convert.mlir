// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @floats(
entry @floats(%a: tile<f32>, %h: tile<f16>, %d: tile<f64>) {
  // CHECK: arith.truncf %arg0 : f32 to bf16
  %0 = ftof %a : tile<f32> -> tile<bf16>
  // CHECK: %[[WIDE:.*]] = arith.extf %arg1 : f16 to f32
  // CHECK: arith.truncf %[[WIDE]] : f32 to bf16
  %1 = ftof %h : tile<f16> -> tile<bf16>
  // CHECK: tileaa.convert %arg0 rounding zero : f32 as f32 to f16 as f16
  %2 = ftof %a rounding<zero> : tile<f32> -> tile<f16>
  // In two steps it would round twice.
  // CHECK: tileaa.convert %arg2 : f64 as f64 to f16 as f16
  %3 = ftof %d : tile<f64> -> tile<f16>
  // CHECK: tileaa.convert %arg0 rounding nearest_away : f32 as f32 to f32 as tf32
  %4 = ftof %a rounding<nearest_away> : tile<f32> -> tile<tf32>
  // CHECK: tileaa.convert %{{.*}} : f32 as tf32 to f32 as f32
  %5 = ftof %4 : tile<tf32> -> tile<f32>
  // CHECK: %[[SMALL:.*]] = tileaa.convert %arg0 : f32 as f32 to i8 as f8E4M3FN
  %6 = ftof %a : tile<f32> -> tile<f8E4M3FN>
  // CHECK: tileaa.convert %[[SMALL]] : i8 as f8E4M3FN to i8 as f8E5M2
  %7 = ftof %6 : tile<f8E4M3FN> -> tile<f8E5M2>
  // The bits are the storage's.
  // CHECK: tileaa.convert %[[SMALL]] : i8 as f8E8M0FNU to f32 as f32
  %8 = bitcast %6 : tile<f8E4M3FN> -> tile<f8E8M0FNU>
  %9 = ftof %8 : tile<f8E8M0FNU> -> tile<f32>
  return
}

// CHECK-LABEL: func.func @to_integer(
entry @to_integer(%p: tile<f32>) {
  // CHECK: tileaa.convert %arg0 rounding zero : f32 as f32 to i32 as i32
  %0 = ftoi %p signed : tile<f32> -> tile<i32>
  // CHECK: tileaa.convert %arg0 unsigned rounding zero saturate : f32 as f32 to i8 as i8
  %1 = ftoi %p unsigned saturating : tile<f32> -> tile<i8>
  return
}

// A constant has the bits of its format.
// CHECK-LABEL: func.func @constants(
entry @constants() {
  // CHECK: arith.constant dense<[56, -2]> : tensor<2xi8>
  %0 = constant <f8E4M3FN: [1.0, -448.0]> : tile<2xf8E4M3FN>
  // CHECK: arith.constant dense<[7, 9]> : tensor<2xi8>
  %1 = constant <f4E2M1FN: [6.0, -0.5]> : tile<2xf4E2M1FN>
  // CHECK: arith.constant dense<1.500000e+00> : tensor<4xf32>
  %2 = constant <tf32: 1.5> : tile<4xtf32>
  return
}

// A half of a byte, without sign.
// CHECK-LABEL: func.func @halves(
entry @halves(%i: tile<i32>) {
  // CHECK: %[[BYTE:.*]] = arith.trunci %arg0 : i32 to i8
  // CHECK: %[[HALF:.*]] = arith.andi %[[BYTE]], %c15_i8
  %0 = trunci %i : tile<i32> -> tile<i4>
  // CHECK: %[[TOP:.*]] = arith.shli %[[HALF]], %c4_i8
  // CHECK: %[[SIGNED:.*]] = arith.shrsi %[[TOP]], %c4_i8
  // CHECK: arith.extsi %[[SIGNED]] : i8 to i32
  %1 = exti %0 signed : tile<i4> -> tile<i32>
  // CHECK: arith.extui %[[HALF]] : i8 to i16
  %2 = exti %0 unsigned : tile<i4> -> tile<i16>
  return
}

// CHECK-LABEL: func.func @integers(
entry @integers(%i: tile<i32>, %p: tile<ptr<f32>>) {
  // CHECK: arith.sitofp %arg0 : i32 to f32
  %0 = itof %i signed : tile<i32> -> tile<f32>
  // CHECK: arith.extui %arg0 : i32 to i64
  %1 = exti %i unsigned : tile<i32> -> tile<i64>
  // CHECK: arith.trunci %arg0 : i32 to i8
  %2 = trunci %i : tile<i32> -> tile<i8>
  // CHECK: arith.bitcast %arg0 : i32 to f32
  %3 = bitcast %i : tile<i32> -> tile<f32>
  // CHECK-NEXT: return
  %4 = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
  %5 = int_to_ptr %4 : tile<i64> -> tile<ptr<i8>>
  %6 = ptr_to_ptr %5 : tile<ptr<i8>> -> tile<ptr<f32>>
  return
}
}
