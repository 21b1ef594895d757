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
  // Towards zero: one unit less where the nearest value is beyond.
  // CHECK: %[[NEAREST:.*]] = arith.truncf %arg0 : f32 to f16
  // CHECK: arith.extf %[[NEAREST]] : f16 to f32
  // CHECK: arith.bitcast %[[NEAREST]] : f16 to i16
  // CHECK: arith.select
  // CHECK: arith.bitcast %{{.*}} : i16 to f16
  %2 = ftof %a rounding<zero> : tile<f32> -> tile<f16>
  // tf32 keeps 10 bits of the mantissa.
  // CHECK: arith.andi %{{.*}}, %c-8192_i32
  %3 = ftof %a : tile<f32> -> tile<tf32>
  // CHECK: arith.select
  // CHECK-NEXT: return
  %4 = ftof %3 : tile<tf32> -> tile<f32>
  return
}

// Out of range is brought to an end of the range first: the conversion has no value there.
// CHECK-LABEL: func.func @to_integer(
entry @to_integer(%p: tile<f32>) {
  // CHECK: %[[LOW:.*]] = arith.constant -2.14748365E+9 : f32
  // CHECK: %[[HIGH:.*]] = arith.constant 2.14748352E+9 : f32
  // CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %arg0, %[[LOW]]
  // CHECK: %[[MAX:.*]] = arith.select %[[ABOVE]], %arg0, %[[LOW]]
  // CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[MAX]], %[[HIGH]]
  // CHECK: %[[IN:.*]] = arith.select %[[BELOW]], %[[MAX]], %[[HIGH]]
  // CHECK: arith.fptosi %[[IN]] : f32 to i32
  %0 = ftoi %p signed : tile<f32> -> tile<i32>
  // CHECK: arith.fptoui
  // CHECK: arith.select {{.*}}, %c-1_i8
  // CHECK: arith.cmpf uno
  %1 = ftoi %p unsigned saturating : tile<f32> -> tile<i8>
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
