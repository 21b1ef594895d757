// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-legalize-scan))' | FileCheck %s

#row = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 128 256} -> 512">
#mixed = #tileas.layout<"{register: 256 2, lane: 4 8 16 32 64, warp: 1 128} -> 512">
#inside = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64} -> 128">

// The highest bits are the warp's: each scans its part, then what all parts before it come to is combined with that.
// CHECK-LABEL: func.func @pieces
// CHECK: %[[PARTS:.*]] = tileaa.reshape %arg0 : {{.*}} -> tensor<4x128xf32
// CHECK: %[[SCANNED:.*]] = tileaa.scan %[[PARTS]] from %{{.*}} along 1 reverse partial {
// CHECK: %[[TOTALS:.*]] = tileaa.reduce %[[PARTS]] from %{{.*}} along 1
// CHECK: %[[ALL:.*]] = tileas.convert_layout %[[TOTALS]]
// CHECK: %[[BEFORE:.*]] = tileaa.scan %[[ALL]] from %{{.*}} along 0 reverse exclusive {
// CHECK: %[[OWN:.*]] = tileas.convert_layout %[[BEFORE]]
// CHECK: %[[COLUMN:.*]] = tileaa.reshape %[[OWN]] : {{.*}} -> tensor<4x1xf32
// CHECK: %[[REPEATED:.*]] = tileaa.broadcast %[[COLUMN]]
// CHECK: %[[SUM:.*]] = arith.addf %[[REPEATED]], %[[SCANNED]] : tensor<4x128xf32
// CHECK: tileaa.reshape %[[SUM]] : {{.*}} -> tensor<512xf32
func.func @pieces(%x: tensor<512xf32, #row>) -> tensor<512xf32, #row> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0.0 : f32
  %s = tileaa.scan %x from %zero along 0 reverse {
  ^bb0(%acc: f32, %e: f32):
    %sum = arith.addf %acc, %e : f32
    tileaa.yield %sum : f32
  } : (tensor<512xf32, #row>, f32) -> tensor<512xf32, #row>
  return %s : tensor<512xf32, #row>
}

// A warp's bit among the lowest: the tile gets a layout with all of it in each warp.
// CHECK-LABEL: func.func @whole
// CHECK: %[[INSIDE:.*]] = tileas.convert_layout %arg0
// CHECK-NEXT: %[[SCANNED:.*]] = tileaa.scan %[[INSIDE]]
// CHECK: tileas.convert_layout %[[SCANNED]]
func.func @whole(%x: tensor<512xi32, #mixed>) -> tensor<512xi32, #mixed> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0 : i32
  %s = tileaa.scan %x from %zero along 0 {
  ^bb0(%acc: i32, %e: i32):
    %sum = arith.addi %acc, %e : i32
    tileaa.yield %sum : i32
  } : (tensor<512xi32, #mixed>, i32) -> tensor<512xi32, #mixed>
  return %s : tensor<512xi32, #mixed>
}

// CHECK-LABEL: func.func @stays
// CHECK-NOT: convert_layout
// CHECK: return
func.func @stays(%x: tensor<128xi32, #inside>) -> tensor<128xi32, #inside> attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %zero = arith.constant 0 : i32
  %s = tileaa.scan %x from %zero along 0 {
  ^bb0(%acc: i32, %e: i32):
    %sum = arith.addi %acc, %e : i32
    tileaa.yield %sum : i32
  } : (tensor<128xi32, #inside>, i32) -> tensor<128xi32, #inside>
  return %s : tensor<128xi32, #inside>
}

// x -> a x + b, one after the other, depends on the order, in which a reduction is not made.
// CHECK-LABEL: func.func @in_order
// CHECK-NOT: tileaa.reduce
// CHECK: tileas.convert_layout %arg0
// CHECK-NOT: tileaa.reduce
// CHECK: return
func.func @in_order(%x: tensor<512xf32, #row>, %y: tensor<512xf32, #row>) -> tensor<512xf32, #row> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s:2 = tileaa.scan %x, %y from %one, %zero along 0 {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %c, %b : f32
    %r = arith.addf %q, %d : f32
    tileaa.yield %p, %r : f32, f32
  } : (tensor<512xf32, #row>, tensor<512xf32, #row>, f32, f32) -> (tensor<512xf32, #row>, tensor<512xf32, #row>)
  return %s#1 : tensor<512xf32, #row>
}
