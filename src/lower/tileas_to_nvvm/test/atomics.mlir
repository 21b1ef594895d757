// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-to-nvvm --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,NEW

// Registers 1 and 3 are copies of 0 and 2, lanes from 16 on copies of those below, warps 2 and 3 of 0 and 1.
#x = #tileas.layout<"{register: 0 16, lane: 1 2 4 8 0, warp: 32 0} -> 64">
!addresses = tensor<64xi64, #x>
module {
  // CHECK-LABEL: func.func @kinds
  func.func @kinds(%p: i64, %i: i32, %f: f32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    // CHECK: scf.if
    // CHECK: llvm.inline_asm has_side_effects "red.relaxed.sys.global.add.u32 [$0], $1;", "l,r,~{memory}"
    %0, %t0 = tileaa.atomic_rmw addi relaxed %p, %i : i64, i32,
    // An acquire has to read, whether its result is used or not.
    // CHECK: "atom.acquire.sys.global.max.s32 $0, [$1], $2;", "=r,l,r,~{memory}"
    %1, %t1 = tileaa.atomic_rmw maxs acquire %p, %i after %t0 : i64, i32,
    // CHECK: "red.release.sys.global.min.u32 [$0], $1;"
    %2, %t2 = tileaa.atomic_rmw minu release %p, %i after %t1 : i64, i32,
    // CHECK: "red.relaxed.sys.global.add.f32 [$0], $1;", "l,r,~{memory}"
    %3, %t3 = tileaa.atomic_rmw addf relaxed %p, %f after %t2 : i64, f32,
    // CHECK: "atom.acq_rel.sys.global.exch.b32 $0, [$1], $2;"
    %4, %t4 = tileaa.atomic_rmw assign acq_rel %p, %f after %t3 : i64, f32,
    return
  }

  // Sixteen bits have an instruction where the architecture has one, and else a loop.
  // CHECK-LABEL: func.func @halves
  // CHECK: red.relaxed.sys.global.add.noftz.f16
  // OLD: llvm.atomicrmw fadd {{.*}} monotonic : !llvm.ptr<1>, bf16
  // NEW: red.relaxed.sys.global.add.noftz.bf16
  func.func @halves(%p: i64, %h: f16, %b: bf16) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %0, %t0 = tileaa.atomic_rmw addf relaxed %p, %h : i64, f16,
    %1, %t1 = tileaa.atomic_rmw addf relaxed %p, %b after %t0 : i64, bf16,
    return
  }

  // Each element once: two of the four registers, in half of the lanes and warps. Where the mask is false the result is
  // zero; copies in registers are the same value.
  // CHECK-LABEL: func.func @tile
  // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c16_i32
  // CHECK: %[[WARP:.*]] = arith.andi %{{.*}}, %c2_i32
  // CHECK: %[[OR:.*]] = arith.ori %[[LANE]], %[[WARP]]
  // CHECK: %[[ORIGINAL:.*]] = arith.cmpi eq, %[[OR]], %c0_i32
  // CHECK: %[[CONDITION:.*]] = arith.andi %[[ORIGINAL]], %arg1
  // CHECK: scf.if %[[CONDITION]] -> (i32)
  // CHECK: atom.relaxed.sys.global.add.u32
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %c0_i32
  // CHECK: atom.relaxed.sys.global.add.u32
  // CHECK-NOT: atom
  // CHECK-LABEL: func.func @loads
  func.func @tile(%p: i64, %m: i1, %q: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %a = tileaa.broadcast %p : i64 -> !addresses
    %mask = tileaa.broadcast %m : i1 -> tensor<64xi1, #x>
    %one = arith.constant dense<1> : tensor<64xi32, #x>
    %old, %t = tileaa.atomic_rmw addi relaxed %a, %one mask %mask : !addresses, tensor<64xi32, #x>, tensor<64xi1, #x>
    %b = tileaa.broadcast %q : i64 -> !addresses
    %t1 = tileaa.store_ptr %b, %old : !addresses, tensor<64xi32, #x>,
    return
  }

  // CHECK: llvm.load {{.*}} atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: llvm.store {{.*}} atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK: llvm.cmpxchg {{.*}} acq_rel acquire : !llvm.ptr<1>, i32
  func.func @loads(%p: i64, %q: i64, %f: f32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %0, %t0 = tileaa.load_ptr acquire %p : i64, -> f32
    %t1 = tileaa.store_ptr release %q, %0 after %t0 : i64, f32,
    %1, %t2 = tileaa.atomic_cas acq_rel %p, %0, %f after %t1 : i64, f32,
    return
  }
}
