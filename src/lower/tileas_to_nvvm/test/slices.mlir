// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: 64, lane: 1 2 4 8 16, warp: 32} -> 128">
#half = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32} -> 64">
#repeated = #tileas.layout<"{register: 0, lane: 1 2 4 8 16, warp: 32} -> 64">
#rows = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
!half = tensor<64xf32, #half>
!whole = tensor<128xf32, #x>
module {
  // Halves that are joined, and taken apart in the other order: two registers, and nothing else.
  // CHECK-LABEL: func.func @registers
  // CHECK: %[[A:.*]] = llvm.load
  // CHECK: %[[B:.*]] = llvm.load
  // CHECK-NOT: llvm.load
  // CHECK: arith.subf %[[B]], %[[A]] : f32
  func.func @registers(%p: i64, %q: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 2>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = tileaa.broadcast %p : i64 -> tensor<64xi64, #half>
    %b = tileaa.broadcast %q : i64 -> tensor<64xi64, #half>
    %x, %t = tileaa.load_ptr %a : tensor<64xi64, #half>, -> !half
    %y, %t1 = tileaa.load_ptr %b : tensor<64xi64, #half>, -> !half
    %both = tileaa.cat %x, %y along 0 : !half, !half -> !whole
    %high = tileaa.extract %both[%c64] : !whole -> !half
    %low = tileaa.extract %both[%c0] : !whole -> !half
    %d = arith.subf %high, %low : !half
    %t2 = tileaa.store_ptr %a, %d : tensor<64xi64, #half>, !half,
    return
  }

  // CHECK-LABEL: func.func @buffer
  // CHECK: %[[OFFSET:.*]] = arith.index_cast %arg1 : index to i32
  // CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c4_i32
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  func.func @buffer(%p: i64, %i: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 2>} {
    %buffer = tileas.alloc at 0 : !tileas.buffer<128xf32, #rows>
    %x = tileas.read %buffer[%i] : !tileas.buffer<128xf32, #rows> -> !half
    %a = tileaa.broadcast %p : i64 -> tensor<64xi64, #half>
    %t = tileaa.store_ptr %a, %x : tensor<64xi64, #half>, !half,
    return
  }

  // Each element chooses by whether the part begins at its own begin.
  // CHECK-LABEL: func.func @insert
  // CHECK: %[[OFFSET:.*]] = arith.index_cast %arg2 : index to i32
  // CHECK: %[[LOW:.*]] = arith.cmpi eq, %{{.*}}, %[[OFFSET]]
  // CHECK: arith.select %[[LOW]]
  // CHECK: %[[HIGH:.*]] = arith.cmpi eq, %{{.*}}, %[[OFFSET]]
  // CHECK: arith.select %[[HIGH]]
  func.func @insert(%p: i64, %q: i64, %i: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 2>} {
    %a = tileaa.broadcast %p : i64 -> tensor<64xi64, #repeated>
    %b = tileaa.broadcast %q : i64 -> tensor<128xi64, #x>
    %x, %t = tileaa.load_ptr %a : tensor<64xi64, #repeated>, -> tensor<64xf32, #repeated>
    %y, %t1 = tileaa.load_ptr %b : tensor<128xi64, #x>, -> !whole
    %z = tileaa.insert %x into %y[%i] : tensor<64xf32, #repeated>, !whole -> !whole
    %t2 = tileaa.store_ptr %b, %z : tensor<128xi64, #x>, !whole,
    return
  }
}
