// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that loops and branches pass on become words of four.
// RUN: tilewright-opt %s --nvidia-pack-bytes --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @loop
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: i8, %{{.*}}: i8, %{{.*}}: i8, %{{.*}}: i8, %[[F:.*]]: f32
// CHECK: llvm.insertelement %[[A]]
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED_F:.*]] = %[[F]], %[[CARRIED:.*]] = %[[WORD]]) -> (f32, i32)
// The bytes are taken out where they are used.
// CHECK: arith.addf
// CHECK: %[[BYTES:.*]] = llvm.bitcast %[[CARRIED]] : i32 to vector<4xi8>
// CHECK: llvm.extractelement %[[BYTES]]
// CHECK: arith.addi
// CHECK: scf.yield %{{.*}}, %{{.*}} : f32, i32
func.func @loop(%n: index, %a: i8, %b: i8, %c: i8, %d: i8, %f: f32) -> (i8, i8, i8, i8, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c, %w = %d, %g = %f) -> (i8, i8, i8, i8, f32) {
    %h = arith.addf %g, %g : f32
    %s = arith.addi %x, %y : i8
    scf.yield %y, %z, %w, %s, %h : i8, i8, i8, i8, f32
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : i8, i8, i8, i8, f32
}

// CHECK-LABEL: func.func @branch
// CHECK: %[[WORD:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: } else {
// CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: }
// CHECK: llvm.bitcast %[[WORD]] : i32 to vector<4xi8>
func.func @branch(%p: i1, %a: i8, %b: i8, %c: i8, %d: i8) -> (i8, i8) {
  %r:4 = scf.if %p -> (i8, i8, i8, i8) {
    %s = arith.addi %a, %b : i8
    scf.yield %s, %b, %c, %d : i8, i8, i8, i8
  } else {
    %s = arith.subi %c, %d : i8
    scf.yield %a, %s, %c, %d : i8, i8, i8, i8
  }
  return %r#0, %r#1 : i8, i8
}

// Three bytes are no word, nor are four with another value among them.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: llvm.
// CHECK: return
func.func @left_alone(%n: index, %a: i8, %b: i8, %f: f32) -> (i8, i8, f32, i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %g = %f, %z = %b) -> (i8, i8, f32, i8) {
    %h = arith.addf %g, %g : f32
    scf.yield %y, %z, %h, %x : i8, i8, f32, i8
  }
  return %r#0, %r#1, %r#2, %r#3 : i8, i8, f32, i8
}
