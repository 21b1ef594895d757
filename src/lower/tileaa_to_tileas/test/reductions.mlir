// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a plan file asks for it, a tile that is reduced is held with whole lines in each warp from its load on.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileaa-to-tileas | FileCheck %s

// CHECK-DAG: #[[SHARED:.*]] = #tileas.layout<"{register: (0,1) (0,2) (1,0) (2,0) (4,0) (8,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,256)} -> 16x512">
// CHECK-DAG: #[[WITHIN:.*]] = #tileas.layout<"{register: (0,1) (0,2) (1,0) (2,0) (0,256) (0,128), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (8,0) (4,0)} -> 16x512">
module {
  // CHECK-LABEL: func.func @warp
  // CHECK: tileaa.load_view {{.*}} -> tensor<16x512xf32, #[[WITHIN]]>
  // CHECK-NOT: tileas.convert_layout
  // CHECK: tileaa.reduce
  func.func @warp(%p: i64, %out: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>,
      tileas.plan = [#tileas.decision<reduction 0 form asked warp by "k:2">]} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = tileaa.make_token
    %a = tileaa.assume_div_by %p, 16 : i64
    %v = tileaa.make_view %a, shape[], strides[] : <[16, 512], f32, strides = [512, 1]>
    %w = tileaa.make_view %out, shape[], strides[] : <[16], f32, strides = [1]>
    %x, %t0 = tileaa.load_view %v[%c0, %c0] after %t dims [0, 1] : <[16, 512], f32, strides = [512, 1]> -> tensor<16x512xf32>
    %r = tileaa.reduce %x from %zero along 1 {
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      tileaa.yield %s : f32
    } {tileas.number = 0 : i64} : (tensor<16x512xf32>, f32) -> tensor<16xf32>
    %t1 = tileaa.store_view %r, %w[%c0] after %t0 dims [0] : tensor<16xf32>, <[16], f32, strides = [1]>
    return
  }
  // Another form leaves the layout of the load.
  // CHECK-LABEL: func.func @lanes
  // CHECK: tileaa.load_view {{.*}} -> tensor<16x512xf32, #[[SHARED]]>
  func.func @lanes(%p: i64, %out: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>,
      tileas.plan = [#tileas.decision<reduction 0 form asked lanes by "k:2">]} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = tileaa.make_token
    %a = tileaa.assume_div_by %p, 16 : i64
    %v = tileaa.make_view %a, shape[], strides[] : <[16, 512], f32, strides = [512, 1]>
    %w = tileaa.make_view %out, shape[], strides[] : <[16], f32, strides = [1]>
    %x, %t0 = tileaa.load_view %v[%c0, %c0] after %t dims [0, 1] : <[16, 512], f32, strides = [512, 1]> -> tensor<16x512xf32>
    %r = tileaa.reduce %x from %zero along 1 {
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      tileaa.yield %s : f32
    } {tileas.number = 0 : i64} : (tensor<16x512xf32>, f32) -> tensor<16xf32>
    %t1 = tileaa.store_view %r, %w[%c0] after %t0 dims [0] : tensor<16xf32>, <[16], f32, strides = [1]>
    return
  }
}
