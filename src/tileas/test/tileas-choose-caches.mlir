// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-choose-caches | FileCheck %s

// A load that a plan file asks to stream gets the policy; the store beside it keeps the default, and both are recorded.
// CHECK-LABEL: func.func @asked
// CHECK-SAME: #tileas.decision<load 0 cache = streaming asked streaming by "k:2"
// CHECK-SAME: #tileas.decision<store 0 cache = default
// CHECK: tileaa.load_view {{.*}} dims [0] cache streaming {tileas.number = 0 : i64}
// CHECK: tileaa.store_view {{.*}} dims [0] {tileas.number = 0 : i64}
func.func @asked(%v: !tileaa.view<[1024], f32, strides = [1]>) attributes {tileaa.kernel,
    tileas.plan = [#tileas.decision<load 0 cache asked streaming by "k:2">]} {
  %t = tileaa.make_token
  %c0 = arith.constant 0 : index
  %x, %t0 = tileaa.load_view %v[%c0] after %t dims [0] {tileas.number = 0 : i64} : <[1024], f32, strides = [1]> -> tensor<1024xf32>
  %t1 = tileaa.store_view %x, %v[%c0] after %t0 dims [0] {tileas.number = 0 : i64} : tensor<1024xf32>, <[1024], f32, strides = [1]>
  return
}

// Refused, and so recorded: lines of memory of the kernel's own would be dropped.
// CHECK-LABEL: func.func @own_memory
// CHECK-SAME: #tileas.decision<load 0 cache = default asked streaming by "k:2" {{.*}}because "the kernel has memory of its own, and an address may be there">
// CHECK-NOT: cache streaming
func.func @own_memory(%v: !tileaa.view<[1024], f32, strides = [1]>) attributes {tileaa.kernel,
    tileas.plan = [#tileas.decision<load 0 cache asked streaming by "k:2">]} {
  %t = tileaa.make_token
  %c0 = arith.constant 0 : index
  %own = tileaa.alloca 64 aligned 16
  %x, %t0 = tileaa.load_view %v[%c0] after %t dims [0] {tileas.number = 0 : i64} : <[1024], f32, strides = [1]> -> tensor<1024xf32>
  return
}

// The policy that is there stays, unless a plan file asks for another one.
// CHECK-LABEL: func.func @there
// CHECK-SAME: #tileas.decision<load 1 cache = default asked default by "k:2"
// CHECK-SAME: #tileas.decision<load 0 cache = streaming {{.*}}because "the module has that policy">
// CHECK: tileaa.load_view {{.*}} dims [0] cache streaming {
// CHECK: tileaa.load_view {{.*}} dims [0] {
func.func @there(%v: !tileaa.view<[1024], f32, strides = [1]>) attributes {tileaa.kernel,
    tileas.plan = [#tileas.decision<load 1 cache asked default by "k:2">]} {
  %t = tileaa.make_token
  %c0 = arith.constant 0 : index
  %x, %t0 = tileaa.load_view %v[%c0] after %t dims [0] cache streaming {tileas.number = 0 : i64} : <[1024], f32, strides = [1]> -> tensor<1024xf32>
  %y, %t1 = tileaa.load_view %v[%c0] after %t dims [0] cache streaming {tileas.number = 1 : i64} : <[1024], f32, strides = [1]> -> tensor<1024xf32>
  return
}
