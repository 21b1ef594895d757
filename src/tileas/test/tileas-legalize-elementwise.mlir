// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-legalize-elementwise | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-legalize-elementwise | FileCheck %s --check-prefixes=CHECK,NEW

#x = #tileas.layout<"{register: 32, lane: 1 2 4 8 16} -> 64">

// Functions become arithmetic on tiles, which keep their layouts through integers of the same width.
// CHECK-LABEL: func.func @function
// CHECK: arith.bitcast {{.*}} : tensor<64xf32, #layout> to tensor<64xi32, #layout>
// CHECK: math.fma {{.*}} : tensor<64xf32, #layout>
// CHECK-NOT: math.log
func.func @function(%x: tensor<64xf32, #x>) -> tensor<64xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %0 = math.log %x : tensor<64xf32, #x>
  return %0 : tensor<64xf32, #x>
}

// Those of f32 that have an instruction of their own stay, also where halves are widened to it.
// CHECK-LABEL: func.func @exponentials
func.func @exponentials(%x: tensor<64xf32, #x>, %h: tensor<64xbf16, #x>, %d: tensor<64xf64, #x>) -> (tensor<64xf32, #x>, tensor<64xf32, #x>, tensor<64xbf16, #x>, tensor<64xf64, #x>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // CHECK: math.exp %arg0 : tensor<64xf32, #layout>
  %0 = math.exp %x : tensor<64xf32, #x>
  // CHECK: math.rsqrt %{{.*}} : tensor<64xf32, #layout>
  %1 = math.rsqrt %0 : tensor<64xf32, #x>
  // CHECK: %[[WIDE:.*]] = arith.extf %arg1
  // CHECK: math.exp2 %[[WIDE]] : tensor<64xf32, #layout>
  %2 = math.exp2 %h : tensor<64xbf16, #x>
  // CHECK-NOT: math.exp
  %3 = math.exp %d : tensor<64xf64, #x>
  return %0, %1, %2, %3 : tensor<64xf32, #x>, tensor<64xf32, #x>, tensor<64xbf16, #x>, tensor<64xf64, #x>
}

// tanh of f32 is computed by the rough exponential and a rough reciprocal, that of f64 by arithmetic.
// CHECK-LABEL: func.func @tangent
func.func @tangent(%x: tensor<64xf32, #x>, %d: tensor<64xf64, #x>) -> (tensor<64xf32, #x>, tensor<64xf64, #x>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // CHECK: %[[POWER:.*]] = tileaa.float exp2 %{{.*}} flush
  // CHECK: arith.divf %{{.*}} fastmath<arcp,afn> : tensor<64xf32, #layout>
  // CHECK: math.fma
  // CHECK-NOT: afn
  // CHECK-NOT: tileaa.float
  %0 = math.tanh %x : tensor<64xf32, #x>
  %1 = math.tanh %d : tensor<64xf64, #x>
  return %0, %1 : tensor<64xf32, #x>, tensor<64xf64, #x>
}

// Instructions stay; those that LLVM has become its own; a rough exponential is the instruction's.
// CHECK-LABEL: func.func @instructions
func.func @instructions(%x: tensor<64xf32, #x>, %h: tensor<64xf16, #x>) -> (tensor<64xf32, #x>, tensor<64xf32, #x>, tensor<64xf16, #x>, tensor<64xf32, #x>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // CHECK: tileaa.float mul %arg0, %arg0 rounding zero : tensor<64xf32, #layout>
  %0 = tileaa.float mul %x, %x rounding zero : tensor<64xf32, #x>
  // CHECK: arith.maxnumf %arg0, %{{.*}} : tensor<64xf32, #layout>
  %1 = tileaa.float max %x, %0 : tensor<64xf32, #x>
  // CHECK: math.fma %arg1, %arg1, %arg1 : tensor<64xf16, #layout>
  %2 = tileaa.float fma %h, %h, %h : tensor<64xf16, #x>
  // CHECK: %[[POWER:.*]] = arith.mulf %arg0
  // CHECK: tileaa.float exp2 %[[POWER]] flush
  %3 = math.exp %x fastmath<afn> : tensor<64xf32, #x>
  return %0, %1, %2, %3 : tensor<64xf32, #x>, tensor<64xf32, #x>, tensor<64xf16, #x>, tensor<64xf32, #x>
}

// The instruction flushes before it rounds: it is a product that keeps subnormals, of flushed operands. The sum flushes
// what it gets and what it gives.
// CHECK-LABEL: func.func @flush
func.func @flush(%x: tensor<64xf32, #x>, %y: tensor<64xf32, #x>) -> (tensor<64xf32, #x>, tensor<64xf32, #x>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2.000000e+00>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00>
  // CHECK: %[[X:.*]] = tileaa.float add %arg0, %[[ZERO]] flush
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[TWO]]
  // CHECK: %[[SUM:.*]] = tileaa.float add %[[PRODUCT]], %arg1 flush
  // CHECK: %[[Y:.*]] = tileaa.float add %arg1, %[[ZERO]] flush
  // CHECK: %[[QUOTIENT:.*]] = arith.divf %[[SUM]], %[[Y]]
  // CHECK: %[[FLUSHED:.*]] = tileaa.float add %[[QUOTIENT]], %[[ZERO]] flush
  // CHECK: return %[[SUM]], %[[FLUSHED]]
  %two = arith.constant dense<2.0> : tensor<64xf32, #x>
  %0 = tileaa.float mul %x, %two flush : tensor<64xf32, #x>
  %1 = tileaa.float add %0, %y flush : tensor<64xf32, #x>
  %2 = tileaa.float div %1, %y flush : tensor<64xf32, #x>
  return %1, %2 : tensor<64xf32, #x>, tensor<64xf32, #x>
}

// sm_80 has no conversion from eight bits.
// CHECK-LABEL: func.func @bytes
func.func @bytes(%b: tensor<64xi8, #x>) -> tensor<64xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // OLD-NOT: tileaa.convert
  // OLD: arith.extui
  // NEW: tileaa.convert
  %0 = tileaa.convert %b : tensor<64xi8, #x> as f8E4M3FN to tensor<64xf32, #x> as f32
  return %0 : tensor<64xf32, #x>
}

// Signed integers of 8 bits become halves by bits and a difference.
// CHECK-LABEL: func.func @integers
// CHECK: %[[BITS:.*]] = arith.extui %arg0 : tensor<64xi8, #layout> to tensor<64xi16, #layout>
// CHECK-NOT: arith.sitofp
// CHECK: arith.subf %{{.*}} : tensor<64xbf16, #layout>
// CHECK-NOT: arith.sitofp
// CHECK: arith.subf %{{.*}} : tensor<64xf16, #layout>
// CHECK: arith.sitofp %arg1 : tensor<64xi32, #layout> to tensor<64xf16, #layout>
func.func @integers(%b: tensor<64xi8, #x>, %w: tensor<64xi32, #x>) -> (tensor<64xbf16, #x>, tensor<64xf16, #x>, tensor<64xf16, #x>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %0 = arith.sitofp %b : tensor<64xi8, #x> to tensor<64xbf16, #x>
  %single = arith.sitofp %b : tensor<64xi8, #x> to tensor<64xf32, #x>
  %1 = arith.truncf %single : tensor<64xf32, #x> to tensor<64xf16, #x>
  %2 = arith.sitofp %w : tensor<64xi32, #x> to tensor<64xf16, #x>
  return %0, %1, %2 : tensor<64xbf16, #x>, tensor<64xf16, #x>, tensor<64xf16, #x>
}

// Nor one to tf32 that rounds to even.
// CHECK-LABEL: func.func @tf32
func.func @tf32(%x: tensor<64xf32, #x>) -> tensor<64xf32, #x> attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // OLD-NOT: tileaa.convert
  // OLD: arith.bitcast
  // NEW: tileaa.convert
  %0 = tileaa.convert %x : tensor<64xf32, #x> as f32 to tensor<64xf32, #x> as tf32
  return %0 : tensor<64xf32, #x>
}
