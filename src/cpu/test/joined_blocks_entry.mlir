// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-kernel-entry --verify-each | FileCheck %s

// The entry has the larger scratch of both functions. It asks once; then blocks run together where there are enough of
// them in their row of the grid, and the others one by one: those that are left, or all of them.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[GRID:arg1]]: i64, %{{.*}}: i64, %{{.*}}: i64, %[[FIRST:arg4]]: i64, %[[LAST:arg5]]: i64
// CHECK-SAME: cpu.scratch_bytes = 256
// CHECK: %[[JOINS:.*]] = call @kernel.joins(
// CHECK: scf.while (%{{.*}} = %[[FIRST]])
// CHECK: %[[PLACE:.*]] = arith.remui %[[NUMBER:.*]], %[[GRID]]
// CHECK: %[[ROW:.*]] = arith.subi %[[GRID]], %[[PLACE]]
// CHECK: %[[RANGE:.*]] = arith.subi %[[LAST]], %[[NUMBER]]
// CHECK: %[[LEFT:.*]] = arith.minsi %[[ROW]], %[[RANGE]]
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %[[LEFT]], %c8_i64
// CHECK: %[[ENOUGH:.*]] = arith.andi %[[MANY]], %[[JOINS]]
// CHECK: %[[SINGLE:.*]] = arith.select %[[JOINS]], %[[LEFT]], %[[RANGE]]
// CHECK: %[[STEP:.*]] = arith.select %[[ENOUGH]], %c8_i64, %[[SINGLE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[NUMBER]], %[[STEP]]
// CHECK: scf.if %[[ENOUGH]] {
// CHECK-NEXT: arith.trunci %[[PLACE]]
// CHECK: call @kernel.joined(
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %[[NUMBER]] to %[[NEXT]]
// CHECK: call @kernel.block(
func.func @kernel(%x: i64, %context: !llvm.ptr, %scratch: i64) attributes {tileaa.kernel, cpu.scratch_bytes = 64 : i64} {
  %bx, %by, %bz = tileaa.block_id
  return
}
func.func private @kernel.joined(%x: i64, %context: !llvm.ptr, %scratch: i64) attributes {tileaa.kernel, cpu.joined = 8 : i64, cpu.scratch_bytes = 256 : i64} {
  %bx, %by, %bz = tileaa.block_id
  return
}
func.func private @kernel.joins(%x: i64) -> i1 {
  %c1024 = arith.constant 1024 : i64
  %small = arith.cmpi ult, %x, %c1024 : i64
  return %small : i1
}

// Without them all blocks run one by one.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: scf.while
// CHECK: scf.for
// CHECK: call @alone.block(
func.func @alone(%x: i64, %context: !llvm.ptr, %scratch: i64) attributes {tileaa.kernel, cpu.scratch_bytes = 64 : i64} {
  %bx, %by, %bz = tileaa.block_id
  return
}
