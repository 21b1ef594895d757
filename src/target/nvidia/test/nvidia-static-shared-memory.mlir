// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --nvidia-static-shared-memory --split-input-file --verify-each | FileCheck %s --implicit-check-not='shared_bytes ='

// The array is for the kernel that needs most.
// CHECK: llvm.mlir.global internal @tilewright_shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<4096 x i8>
// CHECK: llvm.func @small() attributes {nvvm.kernel, tileas.cta = #tileas.cta<warps = 4>}
// CHECK: llvm.func @large() attributes {nvvm.kernel, tileas.cta = #tileas.cta<warps = 4>}
llvm.mlir.global external @tilewright_shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @small() attributes {nvvm.kernel, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 512>} {
  llvm.return
}
llvm.func @large() attributes {nvvm.kernel, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 4096>} {
  llvm.return
}

// -----

// Kernels without shared memory leave it as it is.
// CHECK: llvm.mlir.global external @tilewright_shared_memory() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.mlir.global external @tilewright_shared_memory() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @none() attributes {nvvm.kernel} {
  llvm.return
}
