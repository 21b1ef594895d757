// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#line = affine_map<(d0) -> (d0)>

// Positions from the first lane to the last are inside of a bound if both are, and do not wrap: no mask then.
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: %[[BOUND:[a-z0-9]+]]: i64
// CHECK: scf.for
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST:.*]], %c63
// CHECK: %[[GROWS:.*]] = arith.cmpi ule, %[[FIRST]], %[[LAST]]
// CHECK: arith.cmpi ult, %[[FIRST]], %[[BOUND]]
// CHECK: arith.cmpi ult, %[[LAST]], %[[BOUND]]
// CHECK: scf.if
// CHECK: llvm.load
// CHECK: else
// CHECK: arith.cmpi ult, {{.*}} vector<64xi64>
// CHECK: llvm.intr.masked.load
func.func @bounded(%bound: i64, %base: i64, %from: i64, %y: memref<256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<256xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    %size = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %position = arith.addi %at, %from : i64
    %bytes = arith.muli %position, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %position, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// A position of 32 bits may wrap before it is extended: it does not where the last one is no less than the first.
// CHECK-LABEL: func.func @extended
// CHECK-SAME: %[[BOUND:[a-z0-9]+]]: i64
// CHECK: scf.for
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST:.*]], %c63{{.*}} : i32
// CHECK: arith.cmpi sle, %[[FIRST]], %[[LAST]] : i32
// CHECK: %[[WIDE_FIRST:.*]] = arith.extsi %[[FIRST]]
// CHECK: %[[WIDE_LAST:.*]] = arith.extsi %[[LAST]]
// CHECK: arith.cmpi ule, %[[WIDE_FIRST]], %[[WIDE_LAST]] : i64
// CHECK: arith.cmpi ult, %[[WIDE_FIRST]], %[[BOUND]]
// CHECK: arith.cmpi ult, %[[WIDE_LAST]], %[[BOUND]]
// CHECK: scf.if
// CHECK: llvm.load
func.func @extended(%bound: i64, %base: i64, %from: i32, %y: memref<256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<256xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    %size = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i32
    %narrow = arith.addi %at, %from : i32
    %position = arith.extsi %narrow : i32 to i64
    %bytes = arith.muli %position, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %position, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// The mask of a row that is one step is computed before the loop over rows.
// CHECK-LABEL: func.func @extended_in_one_step
// CHECK-NOT: scf.if
// CHECK: llvm.intr.masked.load
func.func @extended_in_one_step(%bound: i64, %base: i64, %from: i32, %y: memref<64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    %size = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i32
    %narrow = arith.addi %at, %from : i32
    %position = arith.extsi %narrow : i32 to i64
    %bytes = arith.muli %position, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %position, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// Every second lane, say.
// CHECK-LABEL: func.func @other_mask
// CHECK-NOT: scf.if
// CHECK: llvm.intr.masked.load
func.func @other_mask(%mask: memref<256xi32>, %base: i64, %y: memref<256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%mask : memref<256xi32>) outs(%y : memref<256xf32>) {
  ^bb0(%m: i32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %size = arith.constant 4 : i64
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %bytes = arith.muli %at, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ne, %m, %none : i32
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}
