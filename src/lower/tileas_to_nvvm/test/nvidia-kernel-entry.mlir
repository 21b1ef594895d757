// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --nvidia-kernel-entry --remark-format=emitRemark --remarks-filter=Hints 2>&1 | FileCheck %s
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_86 --nvidia-kernel-entry | FileCheck %s --check-prefix=SMALL

// CHECK: remark: {{.*}}occupancy = 2 of the kernel at {{.*}}: not followed: the agents of a block share all registers

module {
  // CHECK: llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 2048>}
  llvm.func @k() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 2048>} {
    llvm.return
  }

  // So many blocks of an SM as the hint asks for and its threads allow. Whoever assembles it answers the hint.
  // CHECK: llvm.func @few() attributes {nvvm.kernel, nvvm.minctasm = 3 : i32, nvvm.reqntid = array<i32: 256>, tileaa.hints
  llvm.func @few() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8>, tileaa.hints = #tileaa.hints<{default = {occupancy = 3 : i32}}>} {
    llvm.return
  }
  // CHECK: llvm.func @many() attributes {nvvm.kernel, nvvm.minctasm = 8 : i32, nvvm.reqntid = array<i32: 256>, tileaa.hints
  // SMALL: llvm.func @many() attributes {nvvm.kernel, nvvm.minctasm = 6 : i32
  llvm.func @many() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8>, tileaa.hints = #tileaa.hints<{default = {occupancy = 32 : i32}}>} {
    llvm.return
  }
  // And as shared memory has room for.
  // CHECK: llvm.func @shared() attributes {nvvm.kernel, nvvm.minctasm = 3 : i32
  // SMALL: llvm.func @shared() attributes {nvvm.kernel, nvvm.minctasm = 2 : i32
  llvm.func @shared() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, shared_bytes = 50176>, tileaa.hints = #tileaa.hints<{default = {occupancy = 4 : i32}}>} {
    llvm.return
  }
  // Registers change hands, or CTAs are persistent: one of a multiprocessor.
  // CHECK: llvm.func @agents() attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384>, tileas.cta = #tileas.cta<warps = 8, threads = 384>}
  llvm.func @agents() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 8, threads = 384>, tileaa.hints = #tileaa.hints<{default = {occupancy = 2 : i32}}>} {
    nvvm.setmaxregister increase 216
    llvm.return
  }
  // Or as many as these registers are planned for; the hint is answered by whoever assembles it.
  // CHECK: llvm.func @resident() attributes {nvvm.kernel, nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 256>, tileaa.hints
  llvm.func @resident() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256, resident = 2>, tileaa.hints = #tileaa.hints<{default = {occupancy = 4 : i32}}>} {
    nvvm.setmaxregister increase 232
    llvm.return
  }
  // CHECK: llvm.func @persistent() attributes {nvvm.kernel, nvvm.minctasm = 1 : i32
  llvm.func @persistent() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256, blocks_per_sm = 1>, tileaa.hints = #tileaa.hints<{default = {occupancy = 2 : i32}}>} {
    llvm.return
  }
  // All threads keep the registers that they begin with.
  // CHECK: llvm.func @keeping() attributes {nvvm.kernel, nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 256>, tileaa.hints
  llvm.func @keeping() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256>, tileaa.hints = #tileaa.hints<{default = {occupancy = 2 : i32}}>} {
    llvm.return
  }
  // CHECK: llvm.func @unasked() attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 256>
  llvm.func @unasked() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256>} {
    llvm.return
  }
}
