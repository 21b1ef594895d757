// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What grows from lane to lane stays a scalar; addresses of that kind are contiguous.
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#line = affine_map<(d0) -> (d0)>

// An offset of 32 bits from anywhere, extended for the address.
// CHECK-LABEL: func.func @offset_of_32_bits
// CHECK-NOT: gather
// CHECK: llvm.load {{.*}} -> vector<64xf32>
// CHECK: return
func.func @offset_of_32_bits(%array: i64, %first: i32, %y: memref<64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%out: f32):
    %true = arith.constant true
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i32
    %offset = arith.addi %at, %first : i32
    %wide = arith.extsi %offset : i32 to i64
    %bytes = arith.muli %wide, %four : i64
    %address = arith.addi %array, %bytes : i64
    %value = cpu.ptr_load %address, %true, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// An offset of 16 bits may wrap within a row that is in the array.
// CHECK-LABEL: func.func @offset_of_16_bits
// CHECK: arith.extsi {{.*}} vector<64xi16> to vector<64xi64>
// CHECK: gather
// CHECK: return
func.func @offset_of_16_bits(%array: i64, %first: i16, %y: memref<64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%out: f32):
    %true = arith.constant true
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i16
    %offset = arith.addi %at, %first : i16
    %wide = arith.extsi %offset : i16 to i64
    %bytes = arith.muli %wide, %four : i64
    %address = arith.addi %array, %bytes : i64
    %value = cpu.ptr_load %address, %true, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// Positions of the loop, however narrow, with what is known of them: 0 to 63, tripled and from 7 on, are all i8.
// CHECK-LABEL: func.func @known_range
// CHECK-NOT: vector<64xi8>
// CHECK: arith.extui {{.*}} : i8 to i32
// CHECK: return
func.func @known_range(%y: memref<64xi32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<64xi32>) {
  ^bb0(%out: i32):
    %three = arith.constant 3 : i8
    %seven = arith.constant 7 : i8
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i8
    %tripled = arith.muli %at, %three : i8
    %on = arith.addi %tripled, %seven : i8
    %wide = arith.extui %on : i8 to i32
    linalg.yield %wide : i32
  }
  return
}

// 200 to 263 are not.
// CHECK-LABEL: func.func @wraps
// CHECK: arith.extui {{.*}} vector<64xi8> to vector<64xi32>
// CHECK: return
func.func @wraps(%y: memref<64xi32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<64xi32>) {
  ^bb0(%out: i32):
    %many = arith.constant 200 : i8
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i8
    %on = arith.addi %at, %many : i8
    %wide = arith.extui %on : i8 to i32
    linalg.yield %wide : i32
  }
  return
}
