// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v4 --cpu-place-loads --cpu-verify-loads --verify-each | FileCheck %s

!indices = !tileaa.view<[?], i64, strides = [1]>
!result = !tileaa.view<[?, 256], f32, strides = [256, 1]>

// A loop that reads rows by index has the indices of the next block as its last input.
// CHECK-LABEL: func.func @gather
// CHECK: %[[LATER:.*]] = arith.addi %x, %c1_i32_{{[0-9]+}}
// CHECK: %[[BLOCK:.*]] = arith.index_cast %[[LATER]]
// CHECK: %[[NEXT:.*]] = arith.muli %[[BLOCK]], %c16
// CHECK: %[[END:.*]] = arith.addi %[[NEXT]], %c16
// CHECK: arith.cmpi sle, %[[END]]
// CHECK: linalg.generic {{.*}} ins({{.*}}tensor<16xi64>, tensor<16xi64>) {{.*}}cpu.fetch = #cpu.fetch<1>
func.func @gather(%n: index, %x: i64, %indices: i64, %out: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all = arith.constant dense<true> : tensor<16x256xi1>
  %zero = arith.constant dense<0.0> : tensor<16x256xf32>
  %size = arith.constant dense<4> : tensor<16x256xi64>
  %row_size = arith.constant dense<256> : tensor<16x1xi64>
  %vi = tileaa.make_view %indices, shape[%n], strides[] : !indices
  %vo = tileaa.make_view %out, shape[%n], strides[] : !result
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %first = arith.muli %block, %c16 : index
  %index, %t0 = tileaa.load_view %vi[%first] dims [0] padding zero : !indices -> tensor<16xi64>
  %wide = tileaa.reshape %index : tensor<16xi64> -> tensor<16x1xi64>
  %row = arith.muli %wide, %row_size : tensor<16x1xi64>
  %rows = tileaa.broadcast %row : tensor<16x1xi64> -> tensor<16x256xi64>
  %line = tileaa.iota : tensor<256xi64>
  %columns = tileaa.reshape %line : tensor<256xi64> -> tensor<1x256xi64>
  %places = tileaa.broadcast %columns : tensor<1x256xi64> -> tensor<16x256xi64>
  %sum = arith.addi %rows, %places : tensor<16x256xi64>
  %bytes = arith.muli %sum, %size : tensor<16x256xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<16x256xi64>
  %address = arith.addi %base, %bytes : tensor<16x256xi64>
  %tile, %t1 = tileaa.load_ptr %address mask %all padding %zero : tensor<16x256xf32> : tensor<16x256xi64>, tensor<16x256xi1> -> tensor<16x256xf32>
  %t2 = tileaa.store_view %tile, %vo[%first, %c0] dims [0, 1] : tensor<16x256xf32>, !result
  return
}

// Indices that the kernel may write are loaded once.
// CHECK-LABEL: func.func @written
// CHECK-NOT: cpu.fetch
func.func @written(%n: index, %x: i64, %indices: i64, %out: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all = arith.constant dense<true> : tensor<16x256xi1>
  %zero = arith.constant dense<0.0> : tensor<16x256xf32>
  %none = arith.constant dense<0> : tensor<16xi64>
  %size = arith.constant dense<4> : tensor<16x256xi64>
  %row_size = arith.constant dense<256> : tensor<16x1xi64>
  %vi = tileaa.make_view %indices, shape[%n], strides[] : !indices
  %vo = tileaa.make_view %out, shape[%n], strides[] : !result
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %first = arith.muli %block, %c16 : index
  %index, %t0 = tileaa.load_view %vi[%first] dims [0] padding zero : !indices -> tensor<16xi64>
  %wide = tileaa.reshape %index : tensor<16xi64> -> tensor<16x1xi64>
  %row = arith.muli %wide, %row_size : tensor<16x1xi64>
  %rows = tileaa.broadcast %row : tensor<16x1xi64> -> tensor<16x256xi64>
  %bytes = arith.muli %rows, %size : tensor<16x256xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<16x256xi64>
  %address = arith.addi %base, %bytes : tensor<16x256xi64>
  %tile, %t1 = tileaa.load_ptr %address mask %all padding %zero : tensor<16x256xf32> : tensor<16x256xi64>, tensor<16x256xi1> -> tensor<16x256xf32>
  %t2 = tileaa.store_view %tile, %vo[%first, %c0] dims [0, 1] : tensor<16x256xf32>, !result
  %t3 = tileaa.store_view %none, %vi[%first] dims [0] : tensor<16xi64>, !indices
  return
}
