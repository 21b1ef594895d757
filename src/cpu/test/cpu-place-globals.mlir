// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-place-globals | FileCheck %s

// CHECK-DAG: llvm.mlir.global external @words("\01\00\FE\FF") {addr_space = 0 : i32, alignment = 64 : i64}
tileaa.global @words = "\01\00\FE\FF" aligned 64
// CHECK-DAG: llvm.mlir.global internal @secret("\07") {addr_space = 0 : i32, alignment = 1 : i64, dso_local}
tileaa.global "private" @secret = "\07" aligned 1

// CHECK-LABEL: func.func @k
// CHECK: %[[P:.*]] = llvm.mlir.addressof @words : !llvm.ptr
// CHECK: %[[A:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr to i64
// CHECK: cpu.ptr_store %{{.*}}, %[[A]]
func.func @k(%x: i16, %all: i1) attributes {tileaa.kernel} {
  %a = tileaa.get_global @words
  cpu.ptr_store %x, %a, %all : i16, i64, i1
  return
}
