// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --nvidia-kernel-entry | FileCheck %s

module {
  // CHECK: llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, tileas.shared_bytes = 2048 : i64}
  llvm.func @k() attributes {tileaa.kernel, tileas.warps = 4 : i32, tileas.shared_bytes = 2048 : i64} {
    llvm.return
  }

  // So many blocks of an SM as the hint asks for and its 2048 threads allow.
  // CHECK: llvm.func @few() attributes {nvvm.kernel, nvvm.minctasm = 3 : i32, nvvm.reqntid = array<i32: 256>}
  llvm.func @few() attributes {tileaa.kernel, tileas.warps = 8 : i32, tileaa.hints = {default = {occupancy = 3 : i32}}} {
    llvm.return
  }
  // CHECK: llvm.func @many() attributes {nvvm.kernel, nvvm.minctasm = 8 : i32, nvvm.reqntid = array<i32: 256>}
  llvm.func @many() attributes {tileaa.kernel, tileas.warps = 8 : i32, tileaa.hints = {default = {occupancy = 32 : i32}}} {
    llvm.return
  }
}
