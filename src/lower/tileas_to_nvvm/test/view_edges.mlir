// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box may begin anywhere: behind the end of its array, however far, no element is inside.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: 1, lane: 2 4 8 16 32, warp:} -> 64">

module {
  // What is left of the array behind the corner is compared with the extent of the tile in 64 bits, before both become
  // numbers of 32; a corner outside leaves nothing.
  // CHECK-LABEL: func.func @tile
  // CHECK-SAME: (%[[BASE:.*]]: i64, %[[N:.*]]: index, %[[AT:.*]]: index)
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[SIXTYFOUR:.*]] = arith.constant 64 : i64
  // CHECK-DAG: %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
  // CHECK-DAG: %[[CORNER:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK-DAG: %[[EXTENT:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK: %[[REST:.*]] = arith.subi %[[EXTENT]], %[[CORNER]] : i64
  // CHECK: %[[CUT:.*]] = arith.minsi %[[REST]], %[[SIXTYFOUR]] : i64
  // CHECK: %[[BEGINS:.*]] = arith.cmpi ult, %[[CORNER]], %[[EXTENT]] : i64
  // CHECK: %[[LEFT:.*]] = arith.select %[[BEGINS]], %[[CUT]], %[[ZERO]] : i64
  // CHECK: %[[LIMIT:.*]] = arith.trunci %[[LEFT]] : i64 to i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[LIMIT]] : i32
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %[[INFINITY]] : f32
  func.func @tile(%base: i64, %n: index, %at: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %c64 = arith.constant 64 : index
    %t = tileaa.make_token
    %v = tileaa.make_view %base, shape[%n], strides[] : <[?], f32, strides = [1]>
    %offset = arith.muli %at, %c64 : index
    %x, %read = tileaa.load_view %v[%offset] after %t dims [0] padding pos_inf : <[?], f32, strides = [1]> -> tensor<64xf32, #x>
    %done = tileaa.store_view %x, %v[%offset] after %read dims [0] : tensor<64xf32, #x>, <[?], f32, strides = [1]>
    return
  }
}
