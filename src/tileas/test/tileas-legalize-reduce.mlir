// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileas-legalize-reduce))' --verify-each | FileCheck %s

// Two of the four warps hold copies; the two others' parts come together in registers of all.
#x = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,0)} -> 1x256">
#r = #tileas.layout<"{register:, lane: 0 0 0 0 0, warp: 0 0} -> 1">
// Each warp has rows of its own.
#y = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (1,0) (2,0)} -> 4x128">
#s = #tileas.layout<"{register:, lane: 0 0 0 0 0, warp: 1 2} -> 4">
// Each warp has a part of all rows.
#z = #tileas.layout<"{register: (0,1) (0,2) (1,0) (2,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,256)} -> 4x512">
#q = #tileas.layout<"{register: 1 2, lane: 0 0 0 0 0, warp: 0 0} -> 4">

// CHECK-DAG: #[[SPLIT:.*]] = #tileas.layout<"{register: (0,0,1) (0,0,2), lane: (0,0,4) (0,0,8) (0,0,16) (0,0,32) (0,0,64), warp: (0,1,0) (0,0,0)} -> 1x2x128">
// CHECK-DAG: #[[GATHERED:.*]] = #tileas.layout<"{register: (0,1), lane: (0,0) (0,0) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 1x2">
// CHECK-DAG: #[[LANES:.*]] = #tileas.layout<"{register:, lane: (0,1) (0,0) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 1x2">
// CHECK-DAG: #[[OTHERS:.*]] = #tileas.layout<"{register: (0,1) (0,2), lane: (1,0) (2,0) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 4x4">
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
  // Of each row a lane has the result of a warp, and the shuffles of the second reduction give all lanes the sum.
  // CHECK-LABEL: func.func @lanes
  // CHECK-SAME: #tileas.decision<reduction 0 form = lanes asked lanes
  // CHECK: %[[P:.*]] = tileaa.reduce %{{.*}} along 2
  // CHECK: %[[G:.*]] = tileas.convert_layout %[[P]] : tensor<1x2xf32, #{{.*}}> -> tensor<1x2xf32, #[[LANES]]>
  // CHECK: %[[R:.*]] = tileaa.reduce %[[G]] from %{{.*}} along 1
  // CHECK: return %[[R]]
  func.func @lanes(%x: tensor<1x256xf32, #x>) -> tensor<1xf32, #r> attributes {tileas.cta = #tileas.cta<warps = 4>,
      tileas.plan = [#tileas.decision<reduction 0 form asked lanes by "k:2">]} {
    %zero = arith.constant 0.0 : f32
    %r = tileaa.reduce %x from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } {tileas.number = 0 : i64} : (tensor<1x256xf32, #x>, f32) -> tensor<1xf32, #r>
    return %r : tensor<1xf32, #r>
  }
  // Each thread combines the parts of one row, and all threads get the sums of all rows by a second conversion.
  // CHECK-LABEL: func.func @two_steps
  // CHECK-SAME: #tileas.decision<reduction 0 form = two_steps asked two_steps
  // CHECK: %[[G:.*]] = tileas.convert_layout %{{.*}} -> tensor<4x4xf32, #[[OTHERS]]>
  // CHECK: %[[R:.*]] = tileaa.reduce %[[G]] from %{{.*}} along 1
  // CHECK: tileas.convert_layout %[[R]] : tensor<4xf32, #{{.*}}> -> tensor<4xf32, #{{.*}}>
  func.func @two_steps(%x: tensor<4x512xf32, #z>) -> tensor<4xf32, #q> attributes {tileas.cta = #tileas.cta<warps = 4>,
      tileas.plan = [#tileas.decision<reduction 0 form asked two_steps by "k:2">]} {
    %zero = arith.constant 0.0 : f32
    %r = tileaa.reduce %x from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } {tileas.number = 0 : i64} : (tensor<4x512xf32, #z>, f32) -> tensor<4xf32, #q>
    return %r : tensor<4xf32, #q>
  }
  // Recorded where a plan file asks for what the lines of the tiles do not have, by tileas-check-decisions refused.
  // CHECK-LABEL: func.func @others
  // CHECK-SAME: #tileas.decision<reduction 0 form = registers asked two_steps by "k:2" {{.*}}because "no thread would have fewer lines than it has of the result">
  // CHECK-SAME: #tileas.decision<reduction 1 form = warp asked lanes by "k:3" {{.*}}because "each line lies within a warp, and nothing passes between warps">
  // CHECK-SAME: #tileas.decision<reduction 2 form = registers asked warp by "k:4" {{.*}}because "its tile has 1 lines, too few for each warp to have lines of its own">
  // CHECK-SAME: #tileas.decision<reduction 3 form = registers {{.*}}because "lines are spread over 4 warps, and a thread combines their partial results without waiting for other lanes">
  // CHECK-NOT: tileas.number
  func.func @others(%x: tensor<1x256xf32, #x>, %y: tensor<4x128xf32, #y>, %z: tensor<4x512xf32, #z>)
      -> (tensor<1xf32, #r>, tensor<4xf32, #s>, tensor<1xf32, #r>, tensor<4xf32, #q>) attributes {
      tileas.cta = #tileas.cta<warps = 4>, tileas.plan = [
      #tileas.decision<reduction 0 form asked two_steps by "k:2">, #tileas.decision<reduction 1 form asked lanes by "k:3">,
      #tileas.decision<reduction 2 form asked warp by "k:4">]} {
    %zero = arith.constant 0.0 : f32
    %0 = tileaa.reduce %x from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } {tileas.number = 0 : i64} : (tensor<1x256xf32, #x>, f32) -> tensor<1xf32, #r>
    %1 = tileaa.reduce %y from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } {tileas.number = 1 : i64} : (tensor<4x128xf32, #y>, f32) -> tensor<4xf32, #s>
    %2 = tileaa.reduce %x from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      tileaa.yield %s : f32
    } {tileas.number = 2 : i64} : (tensor<1x256xf32, #x>, f32) -> tensor<1xf32, #r>
    %3 = tileaa.reduce %z from %zero along 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tileaa.yield %s : f32
    } {tileas.number = 3 : i64} : (tensor<4x512xf32, #z>, f32) -> tensor<4xf32, #q>
    return %0, %1, %2, %3 : tensor<1xf32, #r>, tensor<4xf32, #s>, tensor<1xf32, #r>, tensor<4xf32, #q>
  }
}
