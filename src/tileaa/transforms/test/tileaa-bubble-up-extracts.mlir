// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-bubble-up-extracts{shared-bytes=4096},canonicalize,cse))' --verify-each | FileCheck %s

!view = !tileaa.view<[?, ?], f32, strides = [?, 1]>

// Each half is loaded; of the sums of rows, which are small, the same are taken for both, and of the row a half.
// CHECK-LABEL: func @halves(
// CHECK-SAME: %[[V:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[SUMS:[a-z0-9]+]]: tensor<16xf32>, %[[ROW:[a-z0-9]+]]: tensor<1x128xf32>, %[[I:[a-z0-9]+]]: index
// CHECK: %[[LEFT:.*]], %{{.*}} = tileaa.load_view %[[V]][%[[I]], %[[I]]] {{.*}} -> tensor<16x64xf32>
// CHECK: tileaa.reshape %[[SUMS]]
// CHECK: arith.mulf %[[LEFT]], %{{.*}} : tensor<16x64xf32>
// CHECK: tileaa.extract %[[ROW]][%c0, %c0] : tensor<1x128xf32> -> tensor<1x64xf32>
// CHECK: %[[FROM:.*]] = arith.addi %[[I]], %c64
// CHECK: tileaa.load_view %[[V]][%[[I]], %[[FROM]]] {{.*}} -> tensor<16x64xf32>
// CHECK: tileaa.extract %[[ROW]][%c0, %c64] : tensor<1x128xf32> -> tensor<1x64xf32>
// CHECK-NOT: tensor<16x128
// CHECK: return
func.func @halves(%v: !view, %w: !view, %sums: tensor<16xf32>, %row: tensor<1x128xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x, %t = tileaa.load_view %v[%i, %i] dims [0, 1] : !view -> tensor<16x128xf32>
  %s = tileaa.reshape %sums : tensor<16xf32> -> tensor<16x1xf32>
  %m = tileaa.broadcast %s : tensor<16x1xf32> -> tensor<16x128xf32>
  %r = tileaa.broadcast %row : tensor<1x128xf32> -> tensor<16x128xf32>
  %n = arith.mulf %x, %m : tensor<16x128xf32>
  %y = arith.addf %n, %r : tensor<16x128xf32>
  %a = tileaa.extract %y[%c0, %c0] : tensor<16x128xf32> -> tensor<16x64xf32>
  %b = tileaa.extract %y[%c0, %c64] : tensor<16x128xf32> -> tensor<16x64xf32>
  %z = arith.addf %a, %b : tensor<16x64xf32>
  %u = tileaa.store_view %z, %w[%i, %i] dims [0, 1] : tensor<16x64xf32>, !view
  return
}

// The store comes after the loads of both parts, which come after what their whole tile came after.
// CHECK-LABEL: func @ordered(
// CHECK-SAME: %[[BEFORE:[a-z0-9]+]]: !tileaa.token
// CHECK-DAG: %[[A:.*]], %[[TA:.*]] = tileaa.load_view {{.*}} after %[[BEFORE]] {{.*}} -> tensor<16x64xf32>
// CHECK-DAG: %[[B:.*]], %[[TB:.*]] = tileaa.load_view {{.*}} after %[[BEFORE]] {{.*}} -> tensor<16x64xf32>
// CHECK-DAG: %[[FIRST:.*]] = tileaa.join_tokens %[[BEFORE]], %[[TA]]
// CHECK-DAG: %[[BOTH:.*]] = tileaa.join_tokens %[[FIRST]], %[[TB]]
// CHECK: tileaa.store_view %{{.*}} after %[[BOTH]]
// CHECK-NOT: tensor<16x128
// CHECK: return
func.func @ordered(%v: !view, %i: index, %before: !tileaa.token) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x, %t = tileaa.load_view %v[%i, %i] after %before dims [0, 1] : !view -> tensor<16x128xf32>
  %a = tileaa.extract %x[%c0, %c0] : tensor<16x128xf32> -> tensor<16x64xf32>
  %b = tileaa.extract %x[%c0, %c64] : tensor<16x128xf32> -> tensor<16x64xf32>
  %z = arith.subf %a, %b : tensor<16x64xf32>
  %u = tileaa.store_view %z, %v[%i, %i] after %t dims [0, 1] : tensor<16x64xf32>, !view
  return
}

// Of an extract's part, of one operand of a concatenation, and of numbers.
// CHECK-LABEL: func @parts_of_parts(
// CHECK-SAME: %[[A:[a-z0-9]+]]: i64, %[[K:[a-z0-9]+]]: index
// CHECK-DAG: %[[ONE:.*]] = tileaa.iota : tensor<64xi64>
// CHECK-DAG: tileaa.broadcast %{{.*}} : i64 -> tensor<64xi64>
// CHECK: tileaa.load_ptr %{{.*}} : tensor<64xi64>, -> tensor<64xf32>
// CHECK-NOT: tileaa.cat
// CHECK-NOT: tileaa.extract
// CHECK: return
func.func @parts_of_parts(%a: i64, %k: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c2048 = arith.constant 2048 : index
  %n = tileaa.iota : tensor<2048xi64>
  %p = tileaa.broadcast %a : i64 -> tensor<2048xi64>
  %q = arith.addi %n, %p : tensor<2048xi64>
  %x, %t = tileaa.load_ptr %q : tensor<2048xi64>, -> tensor<2048xf32>
  %y = arith.negf %x : tensor<2048xf32>
  %both = tileaa.cat %y, %x along 0 : tensor<2048xf32>, tensor<2048xf32> -> tensor<4096xf32>
  %h = tileaa.extract %both[%c2048] : tensor<4096xf32> -> tensor<2048xf32>
  %z = tileaa.extract %h[%k] : tensor<2048xf32> -> tensor<64xf32>
  return %z : tensor<64xf32>
}

// One of many parts of a tile that is not loaded is what is left where all others are zeros.
// CHECK-LABEL: func @masked(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x256xf32>, %[[K:[a-z0-9]+]]: index
// CHECK: arith.bitcast %[[X]] : tensor<16x256xf32> to tensor<16x256xi32>
// CHECK: %[[PARTS:.*]] = tileaa.reshape %{{.*}} : tensor<16x256xi32> -> tensor<16x32x8xi32>
// CHECK: arith.divui %[[K]], %c8
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %{{.*}} : tensor<16x32x8xi32>
// CHECK: %[[ONE:.*]] = arith.select %[[HERE]], %[[PARTS]], %{{.*}} : tensor<16x32x8xi1>
// CHECK: tileaa.reduce %[[ONE]] from %c0_i32 along 1
// CHECK: arith.ori
// CHECK: tileaa.reduce {{.*}} along 0
// CHECK: arith.bitcast %{{.*}} : tensor<1x8xi32> to tensor<1x8xf32>
func.func @masked(%x: tensor<16x256xf32>, %k: index) -> tensor<1x8xf32> {
  %c3 = arith.constant 3 : index
  %y = tileaa.extract %x[%c3, %k] : tensor<16x256xf32> -> tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}

// A small tile, one that others computed, and a place that the load does not know and others wait for.
// CHECK-LABEL: func @others(
// CHECK: tileaa.load_view {{.*}} -> tensor<8x128xf32>
// CHECK: tileaa.load_view {{.*}} -> tensor<16x128xf32>
// CHECK-COUNT-3: tileaa.extract
// CHECK: return
func.func @others(%v: !view, %w: !view, %i: index, %carried: tensor<16x128xf32>) -> !tileaa.token {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x, %t0 = tileaa.load_view %v[%i, %i] dims [0, 1] : !view -> tensor<8x128xf32>
  %y, %t1 = tileaa.load_view %w[%i, %i] dims [0, 1] : !view -> tensor<16x128xf32>
  %a = tileaa.extract %x[%c0, %c64] : tensor<8x128xf32> -> tensor<8x64xf32>
  %b = tileaa.extract %carried[%c0, %c64] : tensor<16x128xf32> -> tensor<16x64xf32>
  %c = tileaa.extract %y[%c0, %i] : tensor<16x128xf32> -> tensor<16x64xf32>
  %u0 = tileaa.store_view %a, %v[%i, %i] dims [0, 1] : tensor<8x64xf32>, !view
  %u1 = tileaa.store_view %b, %v[%i, %i] dims [0, 1] : tensor<16x64xf32>, !view
  %u2 = tileaa.store_view %c, %v[%i, %i] dims [0, 1] : tensor<16x64xf32>, !view
  %all = tileaa.join_tokens %u0, %u1, %u2, %t1
  return %all : !tileaa.token
}
