// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box may begin anywhere: behind the end of its array, however far, no element is inside.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp:} -> 64">
#y = #tileas.layout<"{register: 1 64 128 256, lane: 2 4 8 16 32, warp:} -> 512">
#row = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (0,8) (0,16) (0,32), warp:} -> 1x64">

module {
  // A few accesses compare their positions in the array, in 64 bits.
  // CHECK-LABEL: func.func @few
  // CHECK-SAME: (%{{.*}}: i64, %[[N:.*]]: index, %{{.*}}: index)
  // CHECK-DAG: %[[CORNER:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK-DAG: %[[EXTENT:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK-NOT: arith.minsi
  // CHECK: %[[AT:.*]] = arith.addi %[[CORNER]], %{{.*}} : i64
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %[[EXTENT]] : i64
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
  func.func @few(%base: i64, %n: index, %at: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c64 = arith.constant 64 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
    %offset = arith.muli %at, %c64 : index
    %x, %read = tileaa.load_view %v[%offset] after %t dims [0] padding pos_inf : <[?], f32, strides = [1]> -> tensor<64xf32, #x>
    %done = tileaa.store_view %x, %v[%offset] after %read dims [0] : tensor<64xf32, #x>, <[?], f32, strides = [1]>
    return
  }

  // A box of one row is inside or not as a whole.
  // CHECK-LABEL: func.func @row
  // CHECK-SAME: (%{{.*}}: i64, %[[M:.*]]: index, %{{.*}}: index, %[[I:.*]]: index)
  // CHECK-DAG: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
  // CHECK-DAG: %[[ROWS:.*]] = arith.index_cast %[[M]] : index to i64
  // CHECK-COUNT-1: arith.cmpi ult, %[[ROW]], %[[ROWS]] : i64
  // CHECK-NOT: arith.minsi
  func.func @row(%base: i64, %m: index, %n: index, %i: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%m, %n], strides[%n] : <[?, ?], f32, strides = [?, 1]>
    %x, %read = tileaa.load_view %v[%i, %c0] after %t dims [0, 1] : <[?, ?], f32, strides = [?, 1]> -> tensor<1x64xf32, #row>
    %done = tileaa.store_view %x, %v[%i, %c0] after %read dims [0, 1] : tensor<1x64xf32, #row>, <[?, ?], f32, strides = [?, 1]>
    return
  }

  // Of many, what is left of the array behind the corner is compared with the extent of the tile in 64 bits, before both become
  // numbers of 32; a corner outside leaves nothing.
  // CHECK-LABEL: func.func @tile
  // CHECK-SAME: (%[[BASE:.*]]: i64, %[[N:.*]]: index, %[[AT:.*]]: index)
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 512 : i64
  // CHECK-DAG: %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
  // CHECK-DAG: %[[CORNER:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK-DAG: %[[EXTENT:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK: %[[REST:.*]] = arith.subi %[[EXTENT]], %[[CORNER]] : i64
  // CHECK: %[[CUT:.*]] = arith.minsi %[[REST]], %[[SIZE]] : i64
  // CHECK: %[[BEGINS:.*]] = arith.cmpi ult, %[[CORNER]], %[[EXTENT]] : i64
  // CHECK: %[[LEFT:.*]] = arith.select %[[BEGINS]], %[[CUT]], %[[ZERO]] : i64
  // CHECK: %[[LIMIT:.*]] = arith.trunci %[[LEFT]] : i64 to i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[LIMIT]] : i32
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %[[INFINITY]] : f32
  func.func @tile(%base: i64, %n: index, %at: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c512 = arith.constant 512 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
    %offset = arith.muli %at, %c512 : index
    %x, %read = tileaa.load_view %v[%offset] after %t dims [0] padding pos_inf : <[?], f32, strides = [1]> -> tensor<512xf32, #y>
    %done = tileaa.store_view %x, %v[%offset] after %read dims [0] : tensor<512xf32, #y>, <[?], f32, strides = [1]>
    return
  }
}
