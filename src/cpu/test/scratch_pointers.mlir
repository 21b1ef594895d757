// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(cpu-kernel-entry,func.func(cpu-arrays-to-llvm))' --verify-each | FileCheck %s

// Two buffers are constant distances from one pointer, which aliases no other.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %arg7: !llvm.ptr)
// CHECK-LABEL: func.func private @kernel.block
// CHECK-SAME: %[[ARRAY:.*]]: i64, %{{.*}}: !llvm.ptr, %[[SCRATCH:[a-z0-9]+]]: i64
// CHECK: %[[BASE:.*]] = llvm.inttoptr %[[SCRATCH]]
// CHECK: llvm.getelementptr %[[BASE]][%{{.*}}] : {{.*}} -> !llvm.ptr, i8
// CHECK: llvm.inttoptr %[[ARRAY]]
func.func @kernel(%array: i64, %context: !llvm.ptr, %scratch: i64) attributes {tileaa.kernel, cpu.scratch_bytes = 128 : i64} {
  %c64 = arith.constant 64 : i64
  %there = arith.addi %scratch, %c64 : i64
  %a = cpu.array %there, [], [] : memref<1xf32>
  %b = cpu.array %array, [], [] : memref<1xf32>
  %c0 = arith.constant 0 : index
  %x = memref.load %b[%c0] : memref<1xf32>
  memref.store %x, %a[%c0] : memref<1xf32>
  return
}
