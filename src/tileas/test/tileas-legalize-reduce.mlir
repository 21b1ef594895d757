// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-legalize-reduce))' --verify-each | FileCheck %s

// Two of the four warps hold copies; the two others' parts come together in registers of all.
#x = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,0)} -> 1x256">
#r = #tileas.layout<"{register:, lane: 0 0 0 0 0, warp: 0 0} -> 1">
// Each warp has rows of its own.
#y = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (1,0) (2,0)} -> 4x128">
#s = #tileas.layout<"{register:, lane: 0 0 0 0 0, warp: 1 2} -> 4">

// CHECK-DAG: #[[SPLIT:.*]] = #tileas.layout<"{register: (0,0,1) (0,0,2), lane: (0,0,4) (0,0,8) (0,0,16) (0,0,32) (0,0,64), warp: (0,1,0) (0,0,0)} -> 1x2x128">
// CHECK-DAG: #[[GATHERED:.*]] = #tileas.layout<"{register: (0,1), lane: (0,0) (0,0) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 1x2">
module {
  // CHECK-LABEL: func.func @shared
  // CHECK: %[[X:.*]] = tileas.split_warps %{{.*}} along 1 : tensor<1x256xf32, #{{.*}}> -> tensor<1x2x128xf32, #[[SPLIT]]>
  // CHECK: %[[P:.*]] = tileaa.reduce %[[X]] from %{{.*}} along 2
  // CHECK: %[[G:.*]] = tileas.convert_layout %[[P]] : tensor<1x2xf32, #{{.*}}> -> tensor<1x2xf32, #[[GATHERED]]>
  // CHECK: tileaa.reduce %[[G]] from %{{.*}} along 1
  func.func @shared(%x: tensor<1x256xf32, #x>) -> tensor<1xf32, #r> attributes {tileas.cta = #tileas.cta<warps = 4>} {
    %zero = arith.constant 0.0 : f32
    %r = tileaa.reduce %x from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } : (tensor<1x256xf32, #x>, f32) -> tensor<1xf32, #r>
    return %r : tensor<1xf32, #r>
  }
  // CHECK-LABEL: func.func @own
  // CHECK-NOT: tileas.split_warps
  // CHECK: tileaa.reduce %{{.*}} along 1
  // CHECK-NOT: tileas.convert_layout
  func.func @own(%x: tensor<4x128xf32, #y>) -> tensor<4xf32, #s> attributes {tileas.cta = #tileas.cta<warps = 4>} {
    %zero = arith.constant 0.0 : f32
    %r = tileaa.reduce %x from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } : (tensor<4x128xf32, #y>, f32) -> tensor<4xf32, #s>
    return %r : tensor<4xf32, #s>
  }
}
