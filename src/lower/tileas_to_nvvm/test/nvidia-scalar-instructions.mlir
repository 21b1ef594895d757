// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on scalars that PTX has instructions for and LLVM no word.
// RUN: tilewright-opt %s --nvidia-scalar-instructions | FileCheck %s

// CHECK-LABEL: func.func @rounding
func.func @rounding(%x: f32, %y: f32, %d: f64) -> (f32, f32, f64, f32, f32) {
  // CHECK: llvm.inline_asm asm_dialect = att "add.rz.ftz.f32 $0, $1, $2;", "=f,f,f" %arg0, %arg1
  %0 = tileaa.float add %x, %y rounding zero flush : f32
  // CHECK: "fma.rm.f32 $0, $1, $2, $3;", "=f,f,f,f"
  %1 = tileaa.float fma %x, %y, %x rounding negative_inf : f32
  // CHECK: "sqrt.rp.f64 $0, $1;", "=d,d"
  %2 = tileaa.float sqrt %d rounding positive_inf : f64
  // CHECK: "max.ftz.NaN.f32 $0, $1, $2;"
  %3 = tileaa.float maximum %x, %y flush : f32
  // CHECK: "ex2.approx.ftz.f32 $0, $1;"
  %4 = tileaa.float exp2 %x flush : f32
  return %0, %1, %2, %3, %4 : f32, f32, f64, f32, f32
}

// CHECK-LABEL: func.func @tf32
func.func @tf32(%x: f32) -> f32 {
  // CHECK: %[[R:.*]] = llvm.inline_asm asm_dialect = att "cvt.rn.tf32.f32 $0, $1;", "=r,f" %arg0 : (f32) -> i32
  // CHECK: arith.bitcast %[[R]] : i32 to f32
  %0 = tileaa.convert %x : f32 as f32 to f32 as tf32
  return %0 : f32
}

// Pairs are converted, of which one counts.
// CHECK-LABEL: func.func @bytes
func.func @bytes(%x: f32, %h: f16, %b: i8) -> (i8, i8, bf16) {
  // CHECK: "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %{{.*}}, %arg0
  %0 = tileaa.convert %x : f32 as f32 to i8 as f8E4M3FN
  // CHECK: "cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;", "=h,r"
  %1 = tileaa.convert %h : f16 as f16 to i8 as f8E5M2
  // CHECK: "cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h"
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  %2 = tileaa.convert %b : i8 as f8E5M2 to bf16 as bf16
  return %0, %1, %2 : i8, i8, bf16
}

// What may be rough; other divisions stay.
// CHECK-LABEL: func.func @rough
func.func @rough(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32) {
  // CHECK: "tanh.approx.f32 $0, $1;"
  %0 = math.tanh %x fastmath<afn> : f32
  // CHECK: "sqrt.approx.f32 $0, $1;"
  %1 = math.sqrt %x fastmath<afn> : f32
  // CHECK: "div.full.f32 $0, $1, $2;"
  %2 = arith.divf %x, %y fastmath<afn> : f32
  // CHECK: arith.divf %arg0, %arg1 : f32
  %3 = arith.divf %x, %y : f32
  // CHECK: %[[RECIPROCAL:.*]] = llvm.inline_asm {{.*}} "rcp.approx.ftz.f32 $0, $1;", "=f,f" %arg1
  // CHECK: arith.mulf %arg0, %[[RECIPROCAL]] : f32
  %4 = arith.divf %x, %y fastmath<arcp,afn> : f32
  // CHECK: "rcp.approx.ftz.f32 $0, $1;", "=f,f" %arg1
  // CHECK-NOT: arith.mulf
  %one = arith.constant 1.0 : f32
  %5 = arith.divf %one, %y fastmath<arcp,afn> : f32
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}

// The fraction of x log2 e goes through the instruction, the whole number into the exponent.
// CHECK-LABEL: func.func @exponentials
func.func @exponentials(%x: f32) -> (f32, f32, f32) {
  // CHECK: %[[BOUNDED:.*]] = llvm.inline_asm {{.*}} "fma.rn.sat.f32 $0, $1, $2, $3;", "=f,f,f,f" %arg0
  // CHECK: %[[BIASED:.*]] = llvm.inline_asm {{.*}} "fma.rm.f32 $0, $1, $2, $3;", "=f,f,f,f" %[[BOUNDED]]
  // CHECK: %[[POWER:.*]] = llvm.inline_asm {{.*}} "ex2.approx.ftz.f32 $0, $1;"
  // CHECK: arith.bitcast %[[BIASED]] : f32 to i32
  // CHECK: arith.shli
  // CHECK: arith.mulf %[[POWER]]
  %0 = math.exp %x : f32
  // CHECK: "ex2.approx.f32 $0, $1;"
  %1 = math.exp2 %x : f32
  // CHECK: "rsqrt.approx.f32 $0, $1;"
  %2 = math.rsqrt %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// A negation goes into the factors.
// CHECK-LABEL: func.func @decay
func.func @decay(%x: f32) -> f32 {
  // CHECK: "fma.rn.sat.f32 $0, $1, $2, $3;", "=f,f,f,f" %arg0
  // CHECK: arith.constant -1.442{{.*}} : f32
  %0 = arith.negf %x : f32
  %1 = math.exp %0 : f32
  return %1 : f32
}

// One function for all remainders of a type; halves use that of f32.
// CHECK-LABEL: func.func @remainder
func.func @remainder(%x: f16, %y: f16, %d: f64) -> (f16, f64) {
  // CHECK: call @tilewright_remainder_f32
  %0 = arith.remf %x, %y : f16
  // CHECK: call @tilewright_remainder_f64
  %1 = arith.remf %d, %d : f64
  return %0, %1 : f16, f64
}

// Bits of one 16-bit float as another's are hidden from LLVM, whose InstCombine confuses them; others are left to it.
// CHECK-LABEL: func.func @bits_of_halves
func.func @bits_of_halves(%x: f16, %y: f32) -> (bf16, i32) {
  // CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : f16 to i16
  // CHECK: %[[MOVED:.*]] = llvm.inline_asm asm_dialect = att "mov.b16 $0, $1;", "=h,h" %[[BITS]] : (i16) -> i16
  // CHECK: arith.bitcast %[[MOVED]] : i16 to bf16
  %0 = arith.bitcast %x : f16 to bf16
  // CHECK: arith.bitcast %arg1 : f32 to i32
  %1 = arith.bitcast %y : f32 to i32
  return %0, %1 : bf16, i32
}
// CHECK: func.func private @tilewright_remainder_f32({{.*}}) -> f32 attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK: scf.while
// CHECK: arith.remui {{.*}} : i64
// CHECK: func.func private @tilewright_remainder_f64
// CHECK-NOT: func.func
