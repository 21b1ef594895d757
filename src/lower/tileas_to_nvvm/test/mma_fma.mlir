// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a thread for itself: of 16x32 results each thread of a warp has a square of 4x4. Its rows of the left
// operand come as one vector, and so do its columns of the right one; a loop takes eight steps of K at a time.
// RUN: tilewright-opt %s --split-input-file --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#a = #tileas.layout<"{offset: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4) (0,8) (0,16)} -> 16x32">
#b = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0) (16,0)} -> 32x32">
#c = #tileas.layout<"{register: (0,1) (0,2) (1,0) (2,0), lane: (0,4) (0,8) (0,16) (4,0) (8,0)} -> 16x32">
// CHECK: %[[LOOP:.*]]:16 = scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-128: math.fma {{.*}} : f32
// CHECK-NOT: math.fma
// CHECK: scf.yield
module {
  func.func @k(%pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %vc = tileaa.make_view %pc, shape[], strides[] : <[16, 32], f32, strides = [32, 1]>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[16, 32], f32, strides = [32, 1]> -> tensor<16x32xf32, #c>
    %a = tileas.alloc at 0 : !tileas.buffer<16x32xf32, #a>
    %b = tileas.alloc at 2048 : !tileas.buffer<32x32xf32, #b>
    %d = tileas.mma <fma> %a, %b, %c : !tileas.buffer<16x32xf32, #a>, !tileas.buffer<32x32xf32, #b>, tensor<16x32xf32, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<16x32xf32, #c>, <[16, 32], f32, strides = [32, 1]>
    return
  }
}

// -----

// Unsigned bytes of which K has four, and one result: no loop, and what the lanes have in common is computed by each.
#a = #tileas.layout<"{offset: (0,1) (0,2)} -> 1x4">
#b = #tileas.layout<"{offset: (1,0) (2,0)} -> 4x1">
#c = #tileas.layout<"{lane: (0,0) (0,0) (0,0) (0,0) (0,0)} -> 1x1">
// CHECK-LABEL: func @one
// CHECK-NOT: scf.for
// CHECK: arith.extui {{.*}} : i8 to i32
// CHECK: arith.extsi {{.*}} : i8 to i32
// CHECK-COUNT-4: arith.muli
// CHECK-NOT: arith.muli {{.*}} : i32
module {
  func.func @one(%pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %vc = tileaa.make_view %pc, shape[], strides[] : <[1, 1], i32, strides = [1, 1]>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[1, 1], i32, strides = [1, 1]> -> tensor<1x1xi32, #c>
    %a = tileas.alloc at 0 : !tileas.buffer<1x4xi8, #a>
    %b = tileas.alloc at 4 : !tileas.buffer<4x1xi8, #b>
    %d = tileas.mma <fma> %a, %b, %c {unsignedLhs} : !tileas.buffer<1x4xi8, #a>, !tileas.buffer<4x1xi8, #b>, tensor<1x1xi32, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<1x1xi32, #c>, <[1, 1], i32, strides = [1, 1]>
    return
  }
}
