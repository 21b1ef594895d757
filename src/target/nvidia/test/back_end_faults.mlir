// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxas 13.0 takes the lower bits of a float's register for a number and converts: they are taken by an instruction for
// integers before they are stored.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s

// CHECK-LABEL: .entry truncated(
// CHECK: add.rn.f64 [[X:%rd[0-9]+]],
// CHECK: cvt.u32.u64 [[LOW:%r[0-9]+]], [[X]];
// CHECK: st.global.b32 [{{.*}}], [[LOW]];
// CHECK: add.rn.f32 [[Y:%r[0-9]+]],
// CHECK: cvt.u16.u32 [[BYTE:%rs[0-9]+]], [[Y]];
// CHECK: st.global.b8 [{{.*}}], [[BYTE]];
llvm.func @truncated(%x: f64, %p: !llvm.ptr<1>, %y: f32, %q: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.fadd %x, %x : f64
  %b = llvm.bitcast %a : f64 to i64
  %c = llvm.trunc %b : i64 to i32
  llvm.store %c, %p : i32, !llvm.ptr<1>
  %d = llvm.fadd %y, %y : f32
  %e = llvm.bitcast %d : f32 to i32
  %f = llvm.trunc %e : i32 to i8
  llvm.store %f, %q : i8, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry unaligned(
// CHECK: add.rn.f64 [[X:%rd[0-9]+]],
// CHECK: cvt.u32.u64 [[LOW:%r[0-9]+]], [[X]];
// CHECK: st.global.b32 [%[[P:rd[0-9]+]]], [[LOW]];
// CHECK: st.global.b32 [%[[P]]+4],
llvm.func @unaligned(%x: f64, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.fadd %x, %x : f64
  llvm.store %a, %p {alignment = 4 : i64} : f64, !llvm.ptr<1>
  llvm.return
}

// Integers are stored as they are.
// CHECK-LABEL: .entry integer(
// CHECK-NOT: cvt
// CHECK: st.global.b32 [{{.*}}], %rd
llvm.func @integer(%x: i64, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.mul %x, %x : i64
  %c = llvm.trunc %a : i64 to i32
  llvm.store %c, %p : i32, !llvm.ptr<1>
  llvm.return
}

// A flag as a signed number is 0 or -1, extended or not.
// CHECK-LABEL: .entry flag(
// CHECK-NOT: cvt.rn.bf16
// CHECK: selp.b16 {{.*}}, 0xBF80, 0x0000
llvm.func @flag(%x: i16, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i16) : i16
  %a = llvm.icmp "eq" %x, %zero : i16
  %b = llvm.sext %a : i1 to i16
  %c = llvm.sitofp %b : i16 to bf16
  llvm.store %c, %p : bf16, !llvm.ptr<1>
  llvm.return
}

// ptxas takes what abs gives for positive, also where it is the smallest number.
// CHECK-LABEL: .entry magnitude(
// CHECK-NOT: abs
// CHECK: max.s32
// CHECK: rem.s32
llvm.func @magnitude(%x: i32, %y: i32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = "llvm.intr.abs"(%x) <{is_int_min_poison = false}> : (i32) -> i32
  %r = llvm.srem %a, %y : i32
  llvm.store %r, %p : i32, !llvm.ptr<1>
  llvm.return
}

// And 32768 for the negative of the smallest number of 16 bits.
// CHECK-LABEL: .entry negative(
// CHECK-NOT: neg.s16
// CHECK: not.b16
// CHECK: add.s16 {{.*}}, 1;
// CHECK: shr.s16
llvm.func @negative(%x: i16, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i16) : i16
  %four = llvm.mlir.constant(4 : i16) : i16
  %n = llvm.sub %zero, %x : i16
  %r = llvm.ashr %n, %four : i16
  llvm.store %r, %p : i16, !llvm.ptr<1>
  llvm.return
}

// Maxima of three negatives are another number.
// CHECK-LABEL: .entry largest(
// CHECK-NOT: neg.s32
// CHECK-COUNT-3: not.b32
// CHECK: max.s32
llvm.func @largest(%x: i32, %y: i32, %z: i32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %eight = llvm.mlir.constant(-8 : i32) : i32
  %a = llvm.sub %zero, %x : i32
  %b = llvm.mul %y, %eight : i32
  %c = llvm.sub %zero, %z : i32
  %m = llvm.intr.smax(%a, %b) : (i32, i32) -> i32
  %n = llvm.intr.smax(%m, %c) : (i32, i32) -> i32
  llvm.store %n, %p : i32, !llvm.ptr<1>
  llvm.return
}
