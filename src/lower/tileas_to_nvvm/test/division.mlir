// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions of several registers take the fast path together on sm_90; those of one, of other types and those that may
// be rough stay, as all do elsewhere.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=OTHER

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64} -> 128">
#one = #tileas.layout<"{lane: 1 2 4 8 16} -> 32">
#y = #tileas.layout<"{register: 1 2 128 256 512, lane: 4 8 16 32 64} -> 1024">
!f32 = tensor<128xf32, #x>
!wide = tensor<1024xf32, #y>
module {
  // CHECK-LABEL: func.func @sigmoid
  // CHECK-COUNT-4: "rcp.approx.ftz.f32 $0, $1;"
  // CHECK-NOT: rcp.approx
  // CHECK: scf.if
  // CHECK-COUNT-4: arith.divf
  // CHECK-NOT: arith.divf
  // CHECK: } else {
  // OTHER-LABEL: func.func @sigmoid
  // OTHER-NOT: rcp.approx
  // OTHER-NOT: scf.if
  // OTHER-COUNT-4: arith.divf
  func.func @sigmoid(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %base = tileaa.broadcast %p : i64 -> tensor<128xi64, #x>
    %i = tileaa.iota : tensor<128xi64, #x>
    %size = arith.constant dense<4> : tensor<128xi64, #x>
    %place = arith.muli %i, %size : tensor<128xi64, #x>
    %address = arith.addi %base, %place : tensor<128xi64, #x>
    %v, %t = tileaa.load_ptr %address : tensor<128xi64, #x>, -> !f32
    %one = arith.constant dense<1.0> : !f32
    %q = arith.divf %one, %v : !f32
    %t1 = tileaa.store_ptr %address, %q after %t : tensor<128xi64, #x>, !f32,
    return
  }

  // One divisor of all: one reciprocal for eight quotients, which have one check.
  // CHECK-LABEL: func.func @share
  // CHECK-COUNT-1: "rcp.approx.ftz.f32 $0, $1;"
  // CHECK-NOT: rcp.approx
  // CHECK-COUNT-16: "fma.rm.f32 $0, $1, $2, $3;"
  // CHECK-NOT: fma.rm
  // CHECK: scf.if
  // CHECK-COUNT-8: arith.divf
  // CHECK-NOT: arith.divf
  // CHECK: } else {
  func.func @share(%p: i64, %total: f32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %base = tileaa.broadcast %p : i64 -> tensor<1024xi64, #y>
    %i = tileaa.iota : tensor<1024xi64, #y>
    %size = arith.constant dense<4> : tensor<1024xi64, #y>
    %place = arith.muli %i, %size : tensor<1024xi64, #y>
    %address = arith.addi %base, %place : tensor<1024xi64, #y>
    %v, %t = tileaa.load_ptr %address : tensor<1024xi64, #y>, -> !wide
    %y = tileaa.broadcast %total : f32 -> !wide
    %q = arith.divf %v, %y : !wide
    %t1 = tileaa.store_ptr %address, %q after %t : tensor<1024xi64, #y>, !wide,
    return
  }

  // CHECK-LABEL: func.func @alone
  // CHECK-NOT: rcp.approx
  // CHECK-NOT: scf.if
  // CHECK-COUNT-1: arith.divf
  // CHECK-NOT: arith.divf
  func.func @alone(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %base = tileaa.broadcast %p : i64 -> tensor<32xi64, #one>
    %i = tileaa.iota : tensor<32xi64, #one>
    %size = arith.constant dense<4> : tensor<32xi64, #one>
    %place = arith.muli %i, %size : tensor<32xi64, #one>
    %address = arith.addi %base, %place : tensor<32xi64, #one>
    %v, %t = tileaa.load_ptr %address : tensor<32xi64, #one>, -> tensor<32xf32, #one>
    %q = arith.divf %v, %v : tensor<32xf32, #one>
    %t1 = tileaa.store_ptr %address, %q after %t : tensor<32xi64, #one>, tensor<32xf32, #one>,
    return
  }

  // CHECK-LABEL: func.func @rough
  // CHECK-NOT: scf.if
  // CHECK-COUNT-4: arith.divf {{.*}} fastmath<afn>
  func.func @rough(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %base = tileaa.broadcast %p : i64 -> tensor<128xi64, #x>
    %i = tileaa.iota : tensor<128xi64, #x>
    %size = arith.constant dense<4> : tensor<128xi64, #x>
    %place = arith.muli %i, %size : tensor<128xi64, #x>
    %address = arith.addi %base, %place : tensor<128xi64, #x>
    %v, %t = tileaa.load_ptr %address : tensor<128xi64, #x>, -> !f32
    %q = arith.divf %v, %v fastmath<afn> : !f32
    %t1 = tileaa.store_ptr %address, %q after %t : tensor<128xi64, #x>, !f32,
    return
  }
}
