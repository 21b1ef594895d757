// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

cuda_tile.module @m {
// A float becomes an i1 by whether it is not zero, with or without a sign; of a tf32 the lower bits do not count.
// CHECK-LABEL: func.func @numbers(
entry @numbers(%x: tile<f32>, %t: tile<tf32>) {
  // CHECK: arith.cmpf une, %arg0
  %0 = ftoi %x signed : tile<f32> -> tile<i1>
  // CHECK: %[[BITS:.*]] = arith.bitcast %arg1 : f32 to i32
  // CHECK: %[[KEPT:.*]] = arith.andi %[[BITS]], %c2147475456_i32
  // CHECK: arith.cmpi ne, %[[KEPT]]
  %1 = ftoi %t unsigned saturating : tile<tf32> -> tile<i1>
  return
}
}
