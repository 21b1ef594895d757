// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-legalize-slices))' | FileCheck %s

#x = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (0,8) (1,0) (2,0), warp: (4,0)} -> 16x16">
#half = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (0,8) (1,0) (2,0), warp: (4,0)} -> 8x16">
#other = #tileas.layout<"{register: (1,0), lane: (0,1) (0,2) (0,4) (0,8) (2,0), warp: (4,0)} -> 8x16">

// The rows from 8 on are in other registers of the same threads, whichever layout the result had.
// CHECK-LABEL: func.func @registers
// CHECK-NOT: tileas.alloc
// CHECK: %[[PART:.*]] = tileaa.extract %arg0
// CHECK-NEXT: tileas.convert_layout %[[PART]]
func.func @registers(%x: tensor<16x16xf32, #x>) -> tensor<8x16xf32, #other> attributes {tileas.cta = #tileas.cta<warps = 2>} {
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %y = tileaa.extract %x[%c8, %c0] : tensor<16x16xf32, #x> -> tensor<8x16xf32, #other>
  return %y : tensor<8x16xf32, #other>
}

// One buffer for both parts.
// CHECK-LABEL: func.func @anywhere
// CHECK: %[[BUFFER:.*]] = tileas.alloc
// CHECK-NEXT: tileas.write %arg0, %[[BUFFER]]
// CHECK: tileas.read %[[BUFFER]][%arg1, %{{.*}}]
// CHECK: tileas.read %[[BUFFER]][%arg2, %{{.*}}]
// CHECK-NOT: tileaa.extract
func.func @anywhere(%x: tensor<16x16xf32, #x>, %i: index, %j: index) -> tensor<8x16xf32, #half>
    attributes {tileas.cta = #tileas.cta<warps = 2>} {
  %c0 = arith.constant 0 : index
  %y = tileaa.extract %x[%i, %c0] : tensor<16x16xf32, #x> -> tensor<8x16xf32, #half>
  %z = tileaa.extract %x[%j, %c0] : tensor<16x16xf32, #x> -> tensor<8x16xf32, #half>
  %s = arith.addf %y, %z : tensor<8x16xf32, #half>
  return %s : tensor<8x16xf32, #half>
}

// The part as if it were repeated: its row is that of the whole modulo 8, so bit (8,0) of the register is a copy.
// CHECK-LABEL: func.func @insert
// CHECK: %[[REPEATED:.*]] = tileas.convert_layout %arg1
// CHECK-NEXT: tileaa.insert %[[REPEATED]] into %arg0
// CHECK-LABEL: func.func @cat
func.func @insert(%x: tensor<16x16xf32, #x>, %y: tensor<8x16xf32, #other>, %i: index) -> tensor<16x16xf32, #x>
    attributes {tileas.cta = #tileas.cta<warps = 2>} {
  %c0 = arith.constant 0 : index
  %z = tileaa.insert %y into %x[%i, %c0] : tensor<8x16xf32, #other>, tensor<16x16xf32, #x> -> tensor<16x16xf32, #x>
  return %z : tensor<16x16xf32, #x>
}

// CHECK: %[[RIGHT:.*]] = tileas.convert_layout %arg1
// CHECK-NEXT: %[[BOTH:.*]] = tileaa.cat %arg0, %[[RIGHT]] along 0
// CHECK-NEXT: return %[[BOTH]]
func.func @cat(%x: tensor<8x16xf32, #half>, %y: tensor<8x16xf32, #other>) -> tensor<16x16xf32, #x>
    attributes {tileas.cta = #tileas.cta<warps = 2>} {
  %z = tileaa.cat %x, %y along 0 : tensor<8x16xf32, #half>, tensor<8x16xf32, #other> -> tensor<16x16xf32, #x>
  return %z : tensor<16x16xf32, #x>
}

#columns = #tileas.layout<"{register: (0,1) (0,2) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,256)} -> 256x512">
#part = #tileas.layout<"{register: (0,1) (0,2) (0,128) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (128,0) (0,0)} -> 256x256">

// 512 KB of f32, which shared memory does not hold: each half of the rows is put in registers of its own.
// CHECK-LABEL: func.func @large
// CHECK-NOT: tileas.alloc
// CHECK: %[[IN_REGISTERS:.*]] = tileas.convert_layout %arg0
// CHECK: tileaa.extract %[[IN_REGISTERS]][%c0, %c256]
// CHECK-NOT: tileas.alloc
// CHECK: return
func.func @large(%x: tensor<256x512xf32, #columns>) -> tensor<256x256xf32, #part> attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %y = tileaa.extract %x[%c0, %c256] : tensor<256x512xf32, #columns> -> tensor<256x256xf32, #part>
  return %y : tensor<256x256xf32, #part>
}

// At an offset that is not known it is one of both.
// CHECK-LABEL: func.func @large_somewhere
// CHECK: %[[LEFT:.*]] = tileaa.extract %{{.*}}[%{{.*}}, %c0{{.*}}]
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %arg1, %c256
// CHECK: %[[RIGHT:.*]] = tileaa.extract %{{.*}}[%{{.*}}, %c256]
// CHECK: %[[MASK:.*]] = tileaa.broadcast %{{.*}} : i1
// CHECK: arith.select %[[MASK]], %[[RIGHT]], %[[LEFT]]
// CHECK-NOT: tileas.alloc
// CHECK: return
func.func @large_somewhere(%x: tensor<256x512xf32, #columns>, %i: index) -> tensor<256x256xf32, #part>
    attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %y = tileaa.extract %x[%c0, %i] : tensor<256x512xf32, #columns> -> tensor<256x256xf32, #part>
  return %y : tensor<256x256xf32, #part>
}
