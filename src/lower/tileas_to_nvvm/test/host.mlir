// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints and asserts become records in the buffer that the launcher may have set.
// RUN: tilewright-opt %s --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: 1 32, lane: 2 4 8 16 0, warp: 0 0} -> 64">

// What the host has to know stands at the module.
// CHECK-DAG: tileas.host_sites = [{file = "", is_assert = false, line = 0 : i64, shapes = [array<i64: 64>, array<i64>], text = "%d %f\0A", types = array<i32: 6, 11>}
// CHECK-DAG: {file = "k.py", is_assert = true, line = 7 : i64, shapes = [array<i64: 64>], text = "no", types = array<i32: 0>}
// CHECK-DAG: llvm.mlir.global external @__tilewright_host_buffer(0 : i64) {addr_space = 1 : i32, alignment = 8 : i64} : i64
// CHECK-DAG: llvm.mlir.global internal @tilewright_host_place() {addr_space = 3 : i32

module {
  // One thread reserves 32 + 128 + 16 bytes, rounded up, and tells the others; a lane that holds copies writes nothing.
  // CHECK-LABEL: func.func @print
  // CHECK-SAME: tileas.host_buffer
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 192 : i64
  // CHECK: %[[BUFFER:.*]] = llvm.load {{.*}} : !llvm.ptr<1> -> i64
  // CHECK: scf.if
  // CHECK: nvvm.barrier
  // CHECK: scf.if
  // CHECK: llvm.atomicrmw add {{.*}}, %[[SIZE]] monotonic : !llvm.ptr<1>, i64
  // CHECK: nvvm.barrier
  // CHECK: arith.cmpi ule
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK-COUNT-4: llvm.store {{.*}} : i16, !llvm.ptr<1>
  // CHECK: scf.if
  // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
  // CHECK: nvvm.memory.barrier <sys>
  // CHECK-NEXT: nvvm.barrier
  // CHECK: nvvm.memory.barrier <sys>
  // CHECK: llvm.store volatile
  // CHECK-NOT: llvm.nvvm.exit
  func.func @print(%n: i16, %f: f32) attributes {tileaa.kernel, tileas.warps = 4 : i32} {
    %t = tileaa.make_token
    %iota = tileaa.iota : tensor<64xi16, #x>
    %u = tileaa.print "%d %f\0A" (%iota, %f : tensor<64xi16, #x>, f32) after %t {unsignedArgs = array<i1: true, false>}
    return
  }

  // All threads of the block agree on whether it failed; it then leaves the kernel, or traps where nobody listens.
  // CHECK-LABEL: func.func @assert
  // CHECK: nvvm.barrier #nvvm.reduction<or> {{.*}} -> i32
  // CHECK: scf.if
  // CHECK: llvm.atomicrmw add
  // CHECK: llvm.call_intrinsic "llvm.nvvm.exit"
  // CHECK: llvm.intr.trap
  func.func @assert(%c: i16) attributes {tileaa.kernel, tileas.warps = 4 : i32} {
    %iota = tileaa.iota : tensor<64xi16, #x>
    %twice = arith.addi %iota, %iota : tensor<64xi16, #x>
    %holds = arith.cmpi ule, %iota, %twice : tensor<64xi16, #x>
    tileaa.assert %holds, "no" : tensor<64xi1, #x> loc("k.py":7:3)
    return
  }
}
