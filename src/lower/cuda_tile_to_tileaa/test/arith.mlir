// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @floats(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32) attributes {tileaa.kernel}
entry @floats(%a: tile<f32>, %b: tile<f32>) {
  // CHECK: arith.addf %[[A]], %[[B]] : f32
  %0 = addf %a, %b : tile<f32>
  // CHECK: arith.divf {{.*}} fastmath<afn> : f32
  %1 = divf %0, %b rounding<approx> : tile<f32>
  // CHECK: tileaa.float maximum
  %2 = maxf %1, %b propagate_nan : tile<f32>
  // CHECK: tileaa.float min
  %3 = minf %2, %b : tile<f32>
  // CHECK: tileaa.float fma %{{.*}}, %{{.*}}, %{{.*}} flush : f32
  %4 = fma %3, %a, %b flush_to_zero : tile<f32>
  // CHECK: arith.cmpf ult
  %5 = cmpf less_than unordered %4, %b : tile<f32> -> tile<i1>
  // CHECK: arith.cmpf one
  %6 = cmpf not_equal ordered %4, %b : tile<f32> -> tile<i1>
  return
}

// What arith has no word for keeps its name: a target may have an instruction for it.
// CHECK-LABEL: func.func @rounded(
entry @rounded(%a: tile<f32>, %d: tile<f64>, %h: tile<bf16>) {
  // CHECK: tileaa.float div %arg0, %arg0 rounding zero : f32
  %0 = divf %a, %a rounding<zero> : tile<f32>
  // CHECK: tileaa.float add %arg1, %arg1 rounding negative_inf : f64
  %1 = addf %d, %d rounding<negative_inf> : tile<f64>
  // CHECK: tileaa.float sqrt %arg0 flush : f32
  %2 = sqrt %a rounding<approx> flush_to_zero : tile<f32>
  // An fma of f32, rounded, would round twice.
  // CHECK: tileaa.float fma %arg2, %arg2, %arg2 : bf16
  %3 = fma %h, %h, %h : tile<bf16>
  return
}

// The order of a reduction is free, and with it which zero is the larger.
// CHECK-LABEL: func.func @reduced(
entry @reduced() {
  %x = constant <f32: 1.0> : tile<8xf32>
  // CHECK: arith.maxnumf
  %0 = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<8xf32> -> tile<f32> (%l: tile<f32>, %r: tile<f32>) {
    %m = maxf %l, %r : tile<f32>
    yield %m : tile<f32>
  }
  return
}

// CHECK-LABEL: func.func @integers(
entry @integers(%a: tile<i32>, %b: tile<i32>) {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  %0 = addi %a, %b overflow<no_signed_wrap> : tile<i32>
  // The high half is that of a product in twice the width.
  // CHECK: arith.muli %{{.*}}, %{{.*}} : i64
  // CHECK: arith.shrui %{{.*}}, %c32_i64 : i64
  // CHECK: arith.trunci %{{.*}} : i64 to i32
  %1 = mulhii %0, %b : tile<i32>
  // CHECK: arith.cmpi ugt
  %2 = cmpi greater_than %1, %b, unsigned : tile<i32> -> tile<i1>
  // CHECK: %[[AMOUNT:.*]] = arith.andi %{{.*}}, %c31_i32
  // CHECK: arith.shrsi %{{.*}}, %[[AMOUNT]]
  %3 = shri %a, %b signed : tile<i32>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
  %4 = select %2, %3, %a : tile<i1>, tile<i32>
  return
}

// Divisors that trap are replaced; those known to be harmless are not.
// CHECK-LABEL: func.func @division(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32)
entry @division(%a: tile<i32>, %b: tile<i32>) {
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]], %c0_i32
  // CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[B]], %c-1_i32
  // CHECK: %[[MIN:.*]] = arith.cmpi eq, %[[A]], %c-2147483648_i32
  // CHECK: %[[OVER:.*]] = arith.andi %[[MINUS]], %[[MIN]]
  // CHECK: %[[BAD:.*]] = arith.ori %[[ZERO]], %[[OVER]]
  // CHECK: %[[SAFE:.*]] = arith.select %[[BAD]], %c1_i32{{.*}}, %[[B]]
  // CHECK: arith.divsi %[[A]], %[[SAFE]]
  %0 = divi %a, %b signed : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  // CHECK-NOT: arith.select
  // CHECK: arith.ceildivsi %[[A]], %c10_i32
  %1 = divi %a, %ten signed rounding<positive_inf> : tile<i32>
  // CHECK: arith.remui %[[A]], %c10_i32
  %2 = remi %a, %ten unsigned : tile<i32>
  // CHECK: arith.shrsi %[[A]], %c3_i32
  %3 = divi %a, %eight signed rounding<negative_inf> : tile<i32>
  return
}
}
