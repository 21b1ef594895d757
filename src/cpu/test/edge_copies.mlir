// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

!part = memref<?x?xf32, strided<[?, 1]>>

// Rows before the part are padding, and lanes before it and behind its end. Vectors outside are not loaded: there may be no
// memory there, and such a load takes long even though its mask is false.
// CHECK-LABEL: func.func @copy_in
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[ROWS:.*]]: index, %[[COLUMNS:.*]]: index, %[[PADDING:.*]]: f32
// CHECK: scf.for %[[I:.*]] =
// CHECK: arith.cmpi slt, %[[I]]
// CHECK: arith.cmpi sge, %[[I]], %[[ROWS]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: arith.cmpi slt, %[[J]]
// CHECK: scf.if
// CHECK: %[[UP_TO:.*]] = vector.create_mask
// CHECK: %[[MISSING:.*]] = arith.subi %[[COLUMNS]], %[[J]]
// CHECK: %[[SKIPPED:.*]] = vector.create_mask %[[MISSING]]
// CHECK: %[[FROM:.*]] = arith.xori %[[SKIPPED]]
// CHECK: %[[MASK:.*]] = arith.andi %[[UP_TO]], %[[FROM]]
// CHECK: vector.maskedload %{{.*}}, %[[MASK]]
func.func @copy_in(%part: !part, %tile: memref<8x64xf32>, %rows: index, %columns: index, %padding: f32) attributes {tileaa.kernel} {
  cpu.copy_in %part to %tile before [%rows, %columns], %padding : !part, memref<8x64xf32>, f32
  return
}

// CHECK-LABEL: func.func @copy_out
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[ROWS:.*]]: index, %[[COLUMNS:.*]]: index
// CHECK: scf.for %{{.*}} = %[[ROWS]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: arith.subi %[[COLUMNS]], %[[J]]
// CHECK: %[[MASK:.*]] = arith.andi
// CHECK: vector.maskedstore %{{.*}}, %[[MASK]]
func.func @copy_out(%tile: memref<8x64xf32>, %part: !part, %rows: index, %columns: index) attributes {tileaa.kernel} {
  cpu.copy_out %tile to %part before [%rows, %columns] : memref<8x64xf32>, !part
  return
}

// From the beginning on, no mask says so.
// CHECK-LABEL: func.func @from_the_beginning
// CHECK: vector.create_mask
// CHECK-NOT: vector.create_mask
// CHECK: return
func.func @from_the_beginning(%part: memref<?xf32, strided<[1]>>, %tile: memref<64xf32>, %padding: f32) attributes {tileaa.kernel} {
  cpu.copy_in %part to %tile, %padding : memref<?xf32, strided<[1]>>, memref<64xf32>, f32
  return
}
