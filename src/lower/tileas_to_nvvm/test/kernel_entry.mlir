// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --nvidia-kernel-entry | FileCheck %s

module {
  // CHECK: llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, tileas.shared_bytes = 2048 : i64}
  llvm.func @k() attributes {tileaa.kernel, tileas.warps = 4 : i32, tileas.shared_bytes = 2048 : i64} {
    llvm.return
  }
}
