// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa | FileCheck %s

// The content of a global is its bytes: 1 and -2 of 16 bits, 1.5 of f32, true and false.
cuda_tile.module @m {
// CHECK-DAG: tileaa.global @words = "\01\00\FE\FF" aligned 2
global @words <i16: [1, -2]> : tile<2xi16>
// CHECK-DAG: tileaa.global "private" @number = "\00\00\C0?" aligned 64
global private @number alignment = 64 <f32: [1.5]> : tile<1xf32>
// CHECK-DAG: tileaa.global @flags = "\01\00" aligned 1
global @flags <i1: [true, false]> : tile<2xi1>
// Two of f4E2M1FN fill a byte: 1 (2) and 2 (4), 0.5 (1) and -6 (15).
// CHECK-DAG: tileaa.global @small = "B\F1" aligned 1
global @small <f4E2M1FN: [1.0, 2.0, 0.5, -6.0]> : tile<4xf4E2M1FN>

// CHECK-LABEL: func.func @storage(
entry @storage(%p: tile<ptr<i16>>) {
  // CHECK: %[[G:.*]] = tileaa.get_global @words
  %g = get_global @words : tile<ptr<i16>>
  // CHECK: tileaa.load_ptr %[[G]]
  %x, %t = load_ptr_tko weak %g : tile<ptr<i16>> -> tile<i16>, token
  // CHECK: %[[F:.*]] = tileaa.fence after
  %f = memory_fence_alias_tko %t
  // CHECK: %[[A:.*]] = tileaa.alloca 48 aligned 32
  %a = alloca num_elem = 24, alignment = 32 : tile<ptr<i16>>
  // CHECK: tileaa.store_ptr %[[A]], %{{.*}} after %[[F]]
  %t1 = store_ptr_tko weak %a, %x token=%f : tile<ptr<i16>>, tile<i16> -> token
  return
}
}
