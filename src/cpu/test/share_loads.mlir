// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that lie less than a register apart in one array.
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --verify-each | FileCheck %s
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v3 --cpu-micro-tiles --verify-each | FileCheck %s --check-prefix=NARROW

#id = affine_map<(d0) -> (d0)>
!a = memref<64xf32, strided<[1]>>
!b = memref<16xf32, strided<[1]>>

// Three neighbours: the four registers of the first one, and the last register of the last one.
// CHECK-LABEL: func.func @three_points
// CHECK: %[[FIRST:.*]] = cpu.array %arg0
// CHECK: cpu.array
// CHECK: %[[LAST:.*]] = cpu.array
// CHECK-DAG: %[[A:.*]] = vector.load %[[FIRST]][%c0] : {{.*}} vector<16xf32>
// CHECK-DAG: %[[B:.*]] = vector.load %[[FIRST]][%c16{{.*}}] : {{.*}} vector<16xf32>
// CHECK-DAG: %[[C:.*]] = vector.load %[[FIRST]][%c32{{.*}}] : {{.*}} vector<16xf32>
// CHECK-DAG: %[[D:.*]] = vector.load %[[FIRST]][%c48{{.*}}] : {{.*}} vector<16xf32>
// CHECK-DAG: %[[E:.*]] = vector.load %[[LAST]][%c48{{.*}}] : {{.*}} vector<16xf32>
// CHECK-NOT: vector.load
// CHECK: vector.shuffle %[[A]], %[[B]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
// CHECK: vector.shuffle %[[B]], %[[C]] [1,
// CHECK: vector.shuffle %[[C]], %[[D]] [1,
// CHECK: vector.shuffle %[[D]], %[[E]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30]
// CHECK: vector.shuffle %[[A]], %[[B]] [2,
// CHECK: vector.shuffle %[[B]], %[[C]] [2,
// CHECK: vector.shuffle %[[C]], %[[D]] [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
// CHECK-NOT: vector.shuffle
// CHECK: vector.insert_strided_slice %[[E]]
// CHECK: return
// NARROW-LABEL: func.func @three_points
// NARROW-COUNT-3: vector.load {{.*}} vector<16xf32>
func.func @three_points(%x: i64, %y: !a) attributes {tileaa.kernel} {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %x1 = arith.addi %x, %c4 : i64
  %x2 = arith.addi %x, %c8 : i64
  %a = cpu.array %x, [], [] : !a
  %b = cpu.array %x1, [], [] : !a
  %c = cpu.array %x2, [], [] : !a
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %c : !a, !a, !a) outs(%y : !a) {
  ^bb0(%u: f32, %v: f32, %w: f32, %out: f32):
    %s = arith.addf %u, %v : f32
    %t = arith.mulf %s, %w : f32
    linalg.yield %t : f32
  }
  return
}

// In one register only what lies between is a shift.
// CHECK-LABEL: func.func @one_register
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
// CHECK-NOT: vector.load
// CHECK: vector.shuffle %{{.*}} [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30]
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @one_register(%x: i64, %y: !b) attributes {tileaa.kernel} {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %x1 = arith.addi %x, %c4 : i64
  %x2 = arith.addi %x, %c8 : i64
  %a = cpu.array %x, [], [] : !b
  %b = cpu.array %x1, [], [] : !b
  %c = cpu.array %x2, [], [] : !b
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %c : !b, !b, !b) outs(%y : !b) {
  ^bb0(%u: f32, %v: f32, %w: f32, %out: f32):
    %s = arith.addf %u, %v : f32
    %t = arith.mulf %s, %w : f32
    linalg.yield %t : f32
  }
  return
}

// Further apart than a register, or by half an element, they have nothing in common.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-3: vector.load {{.*}} vector<64xf32>
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @apart(%x: i64, %y: !a) attributes {tileaa.kernel} {
  %c2 = arith.constant 2 : i64
  %c68 = arith.constant 68 : i64
  %x1 = arith.addi %x, %c68 : i64
  %x2 = arith.addi %x, %c2 : i64
  %a = cpu.array %x, [], [] : !a
  %b = cpu.array %x1, [], [] : !a
  %c = cpu.array %x2, [], [] : !a
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %c : !a, !a, !a) outs(%y : !a) {
  ^bb0(%u: f32, %v: f32, %w: f32, %out: f32):
    %s = arith.addf %u, %v : f32
    %t = arith.mulf %s, %w : f32
    linalg.yield %t : f32
  }
  return
}
