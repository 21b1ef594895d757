// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: 32, lane: 1 2 4 8 16, warp: 0} -> 64">

// The second tile is of a number of the lane that stands there and is read again.
// CHECK-LABEL: @k
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: st.global
// CHECK: %[[LANE:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %laneid;", "=r"
// CHECK: arith.addi %[[LANE]]
// CHECK: st.global
func.func @k(%p: i64, %q: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 2>} {
  %t = tileaa.make_token
  %true = arith.constant dense<true> : tensor<64xi1, #x>
  %four = arith.constant dense<4> : tensor<64xi64, #x>
  %i = tileaa.iota : tensor<64xi32, #x>
  %j = arith.extui %i : tensor<64xi32, #x> to tensor<64xi64, #x>
  %m = arith.muli %j, %four : tensor<64xi64, #x>
  %b = tileaa.broadcast %p : i64 -> tensor<64xi64, #x>
  %to = arith.addi %b, %m : tensor<64xi64, #x>
  %u = tileaa.store_ptr %to, %i mask %true after %t : tensor<64xi64, #x>, tensor<64xi32, #x>, tensor<64xi1, #x>
  %i2 = tileaa.iota rematerialized : tensor<64xi32, #x>
  %j2 = arith.extui %i2 : tensor<64xi32, #x> to tensor<64xi64, #x>
  %m2 = arith.muli %j2, %four : tensor<64xi64, #x>
  %b2 = tileaa.broadcast %q : i64 -> tensor<64xi64, #x>
  %to2 = arith.addi %b2, %m2 : tensor<64xi64, #x>
  %v = tileaa.store_ptr %to2, %i2 mask %true after %u : tensor<64xi64, #x>, tensor<64xi32, #x>, tensor<64xi1, #x>
  return
}
