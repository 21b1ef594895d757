// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v4 --cpu-place-loads --cpu-verify-loads --verify-each | FileCheck %s

!indices = !tileaa.view<[64], i64, strides = [1]>
!result = !tileaa.view<[64, 4096], f32, strides = [4096, 1]>

// A loaded 64-bit number that is multiplied is an index: what is gathered by it is none of the result, and goes there
// at once.
// CHECK-LABEL: func.func @by_index
// CHECK-NOT: linalg.generic
// CHECK: linalg.generic {{.*}} {cpu.stream} {
// CHECK: cpu.ptr_load
func.func @by_index(%x: i64, %indices: i64, %out: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : tensor<1x4096xi1>
  %zero = arith.constant dense<0.0> : tensor<1x4096xf32>
  %size = arith.constant dense<4> : tensor<1x4096xi64>
  %row_size = arith.constant dense<4096> : tensor<1x1xi64>
  %vi = tileaa.make_view %indices, shape[], strides[] : !indices
  %vo = tileaa.make_view %out, shape[], strides[] : !result
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %index, %t0 = tileaa.load_view %vi[%block] dims [0] {inbounds = array<i1: true>} : !indices -> tensor<1xi64>
  %wide = tileaa.reshape %index : tensor<1xi64> -> tensor<1x1xi64>
  %row = arith.muli %wide, %row_size : tensor<1x1xi64>
  %rows = tileaa.broadcast %row : tensor<1x1xi64> -> tensor<1x4096xi64>
  %line = tileaa.iota : tensor<4096xi64>
  %columns = tileaa.reshape %line : tensor<4096xi64> -> tensor<1x4096xi64>
  %sum = arith.addi %rows, %columns : tensor<1x4096xi64>
  %bytes = arith.muli %sum, %size : tensor<1x4096xi64>
  %base = tileaa.broadcast %x : i64 -> tensor<1x4096xi64>
  %address = arith.addi %base, %bytes : tensor<1x4096xi64>
  %tile, %t1 = tileaa.load_ptr %address mask %all padding %zero : tensor<1x4096xf32> : tensor<1x4096xi64>, tensor<1x4096xi1> -> tensor<1x4096xf32>
  %t2 = tileaa.store_view %tile, %vo[%block, %c0] dims [0, 1] {inbounds = array<i1: true, true>} : tensor<1x4096xf32>, !result
  return
}

// Without a factor it may be an address itself, of the result too.
// CHECK-LABEL: func.func @by_address
// CHECK: cpu.ptr_load
// CHECK: linalg.generic {{.*}} {cpu.stream} {
// CHECK-NOT: cpu.ptr_load
// CHECK: return
func.func @by_address(%indices: i64, %out: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : tensor<1x4096xi1>
  %zero = arith.constant dense<0.0> : tensor<1x4096xf32>
  %size = arith.constant dense<4> : tensor<1x4096xi64>
  %vi = tileaa.make_view %indices, shape[], strides[] : !indices
  %vo = tileaa.make_view %out, shape[], strides[] : !result
  %bx, %by, %bz = tileaa.block_id
  %block = arith.index_cast %bx : i32 to index
  %index, %t0 = tileaa.load_view %vi[%block] dims [0] {inbounds = array<i1: true>} : !indices -> tensor<1xi64>
  %wide = tileaa.reshape %index : tensor<1xi64> -> tensor<1x1xi64>
  %rows = tileaa.broadcast %wide : tensor<1x1xi64> -> tensor<1x4096xi64>
  %line = tileaa.iota : tensor<4096xi64>
  %columns = tileaa.reshape %line : tensor<4096xi64> -> tensor<1x4096xi64>
  %bytes = arith.muli %columns, %size : tensor<1x4096xi64>
  %address = arith.addi %rows, %bytes : tensor<1x4096xi64>
  %tile, %t1 = tileaa.load_ptr %address mask %all padding %zero : tensor<1x4096xf32> : tensor<1x4096xi64>, tensor<1x4096xi1> -> tensor<1x4096xf32>
  %t2 = tileaa.store_view %tile, %vo[%block, %c0] dims [0, 1] {inbounds = array<i1: true, true>} : tensor<1x4096xf32>, !result
  return
}
