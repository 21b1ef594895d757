// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-slice-and-fuse{limit=128 slice=32},canonicalize,cse))' --verify-each | FileCheck %s

!view = !tileaa.view<[?, ?], f32, strides = [?, 1]>

// A store is sliced along its outermost dimension, and what it is made of along whatever that is there; of a small tile
// slices are taken.
// CHECK-LABEL: func @store(
// CHECK-SAME: %[[V:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[SUMS:[a-z0-9]+]]: tensor<8xf32>, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index
// CHECK-SAME: tileaa.slice_made = 32 : i64, tileaa.slices = ["8x16xf32 by 2x16"]
func.func @store(%v: !view, %w: !view, %sums: tensor<8xf32>, %i: index, %j: index) {
  // CHECK: %[[TOKEN:.*]] = tileaa.make_token
  // CHECK: scf.for %[[N:.*]] = %c0 to %c4
  // CHECK: %[[AT:.*]] = arith.muli %[[N]], %c2
  // CHECK: %[[ROW:.*]] = arith.addi %[[I]], %[[AT]]
  // CHECK: %[[X:.*]], %{{.*}} = tileaa.load_view %[[V]][%[[J]], %[[ROW]]] {{.*}} -> tensor<16x2xf32>
  // CHECK: tileaa.extract %[[SUMS]][%[[AT]]] : tensor<8xf32> -> tensor<2xf32>
  // CHECK: tileaa.broadcast %{{.*}} : tensor<1x2xf32> -> tensor<16x2xf32>
  // CHECK: arith.addf %{{.*}} : tensor<16x2xf32>
  // CHECK: tileaa.permute %{{.*}} by [1, 0] : tensor<16x2xf32> -> tensor<2x16xf32>
  // Nobody said that it comes after the load.
  // CHECK: tileaa.store_view %{{.*}}, %[[W]][%[[ROW]], %[[J]]] dims
  // CHECK: return
  %x, %t = tileaa.load_view %v[%j, %i] dims [0, 1] : !view -> tensor<16x8xf32>
  %s = tileaa.reshape %sums : tensor<8xf32> -> tensor<1x8xf32>
  %b = tileaa.broadcast %s : tensor<1x8xf32> -> tensor<16x8xf32>
  %y = arith.addf %x, %b : tensor<16x8xf32>
  %z = tileaa.permute %y by [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %u = tileaa.store_view %z, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}

// A plan file decides over the option, and a slice has one line at least.
// CHECK-LABEL: func @asked(
// CHECK-SAME: tileaa.slice_asked = 16 : i64, tileaa.slice_made = 16 : i64, tileaa.slices = ["8x16xf32 by 1x16"]
func.func @asked(%v: !view, %w: !view, %i: index, %j: index) attributes {tileaa.slice_asked = 16 : i64} {
  // CHECK: scf.for %{{.*}} = %c0 to %c8
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}
// CHECK-LABEL: func @one_line(
// CHECK-SAME: tileaa.slice_made = 4 : i64, tileaa.slices = ["8x16xf32 by 1x16"]
func.func @one_line(%v: !view, %w: !view, %i: index, %j: index) attributes {tileaa.slice_asked = 4 : i64} {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}
// CHECK-LABEL: func @small(
// CHECK-NOT: tileaa.slice_made
// CHECK: tileaa.load_view
func.func @small(%v: !view, %w: !view, %i: index, %j: index) attributes {tileaa.slice_asked = 16 : i64} {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<4x16xf32>
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<4x16xf32>, !view
  return
}

// Addresses are counted from where the slice begins.
// CHECK-LABEL: func @addresses
func.func @addresses(%v: i64, %w: i64) {
  // CHECK: scf.for %[[N:.*]] = %c0 to %c4
  // CHECK: %[[AT:.*]] = arith.muli %[[N]], %c32
  // CHECK: %[[FIRST:.*]] = arith.index_cast %[[AT]]
  // CHECK: %[[FROM:.*]] = tileaa.broadcast %[[FIRST]] : i64 -> tensor<32xi64>
  // CHECK: arith.addi %{{.*}}, %[[FROM]] : tensor<32xi64>
  // CHECK: tileaa.load_ptr %{{.*}} : tensor<32xi64>
  // CHECK: tileaa.store_ptr %{{.*}} : tensor<32xi64>
  %c4 = arith.constant 4 : i64
  %n = tileaa.iota : tensor<128xi64>
  %d = tileaa.broadcast %c4 : i64 -> tensor<128xi64>
  %o = arith.muli %n, %d : tensor<128xi64>
  %p = tileaa.broadcast %v : i64 -> tensor<128xi64>
  %a = arith.addi %p, %o : tensor<128xi64>
  %x, %t = tileaa.load_ptr %a : tensor<128xi64>, -> tensor<128xf32>
  %q = tileaa.broadcast %w : i64 -> tensor<128xi64>
  %b = arith.addi %q, %o : tensor<128xi64>
  %u = tileaa.store_ptr %b, %x : tensor<128xi64>, tensor<128xf32>,
  return
}

// Slices are added element by element, and the last sum is reduced.
// CHECK-LABEL: func @reduce
func.func @reduce(%v: !view, %i: index, %j: index) -> f32 {
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}}) -> (tensor<32xf32>, !tileaa.token)
  // CHECK: tileaa.load_view {{.*}} -> tensor<2x16xf32>
  // CHECK: %[[X:.*]] = tileaa.reshape {{.*}} -> tensor<32xf32>
  // CHECK: arith.addf %[[ACC]], %[[X]] : tensor<32xf32>
  // CHECK: tileaa.reduce %[[LOOP]]#0 from %{{.*}} along 0
  // CHECK: (tensor<32xf32>, f32) -> f32
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %y = tileaa.reshape %x : tensor<8x16xf32> -> tensor<128xf32>
  %zero = arith.constant 0.0 : f32
  %sum = tileaa.reduce %y from %zero along 0 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tileaa.yield %r : f32
  } : (tensor<128xf32>, f32) -> f32
  return %sum : f32
}

// A slice of the first dimension is large: it is sliced along the next.
// CHECK-LABEL: func @twice
func.func @twice(%v: !view, %w: !view, %i: index, %j: index) {
  // CHECK: scf.for %{{.*}} = %c0 to %c2
  // CHECK: scf.for %{{.*}} = %c0 to %c4
  // CHECK: tileaa.store_view {{.*}} : tensor<1x32xf32>
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<2x128xf32>
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<2x128xf32>, !view
  return
}

// Concatenated, extracted and replaced along other dimensions than the sliced one.
// CHECK-LABEL: func @across
// CHECK-SAME: tileaa.slices = ["8x16xf32 by 2x16"]
// CHECK: %[[X:.*]], %{{.*}} = tileaa.load_view {{.*}} -> tensor<2x16xf32>
// CHECK: %[[A:.*]] = tileaa.extract %[[X]][%c0, %c0] : tensor<2x16xf32> -> tensor<2x8xf32>
// CHECK: %[[B:.*]] = tileaa.cat {{.*}} along 1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x16xf32>
// CHECK: tileaa.insert %[[A]] into %[[B]][%c0, %c8] : tensor<2x8xf32>, tensor<2x16xf32> -> tensor<2x16xf32>
func.func @across(%v: !view, %w: !view, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %a = tileaa.extract %x[%c0, %c0] : tensor<8x16xf32> -> tensor<8x8xf32>
  %b = tileaa.extract %x[%c0, %c8] : tensor<8x16xf32> -> tensor<8x8xf32>
  %n = arith.negf %b : tensor<8x8xf32>
  %both = tileaa.cat %n, %a along 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
  %y = tileaa.insert %a into %both[%c0, %c8] : tensor<8x8xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %u = tileaa.store_view %y, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}

// Not along the dimension itself, of which a slice may be of either operand.
// CHECK-LABEL: func @along
// CHECK-NOT: scf.for
// CHECK: return
func.func @along(%v: !view, %w: !view, %i: index, %j: index) {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<4x16xf32>
  %both = tileaa.cat %x, %x along 0 : tensor<4x16xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %u = tileaa.store_view %both, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}

// In place each slice is written after it was read. What comes later waits for all of them.
// CHECK-LABEL: func @in_place
func.func @in_place(%v: !view, %i: index, %j: index) -> !tileaa.token {
  // CHECK: %[[DONE:.*]] = scf.for
  // CHECK: %[[X:.*]], %[[READ:.*]] = tileaa.load_view
  // CHECK: %[[AFTER:.*]] = tileaa.join_tokens %[[READ]], %{{.*}}
  // CHECK: tileaa.store_view {{.*}} after %[[AFTER]]
  // CHECK: %[[BOTH:.*]] = tileaa.join_tokens %{{.*}}, %[[DONE]]
  // CHECK: return %[[BOTH]]
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %y = arith.addf %x, %x : tensor<8x16xf32>
  %u = tileaa.store_view %y, %v[%i, %j] after %t dims [0, 1] : tensor<8x16xf32>, !view
  %k = tileaa.join_tokens %u, %t
  return %k : !tileaa.token
}

// Elsewhere in the same array all of it has to be read first.
// CHECK-LABEL: func @moved
// CHECK-NOT: scf.for
func.func @moved(%v: !view, %i: index, %j: index) {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %u = tileaa.store_view %x, %v[%j, %i] after %t dims [0, 1] : tensor<8x16xf32>, !view
  return
}

// Nor may addresses be read again that are written: two of them may be the same.
// CHECK-LABEL: func @same_addresses
// CHECK-NOT: scf.for
func.func @same_addresses(%a: tensor<256xi64>) {
  %x, %t = tileaa.load_ptr %a : tensor<256xi64>, -> tensor<256xf32>
  %y = arith.addf %x, %x : tensor<256xf32>
  %u = tileaa.store_ptr %a, %y after %t : tensor<256xi64>, tensor<256xf32>,
  return
}

// What stands between comes after the load, which cannot wait.
// CHECK-LABEL: func @between
// CHECK-NOT: scf.for
func.func @between(%v: !view, %w: !view, %i: index, %j: index, %small: tensor<8x2xf32>) {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %k = tileaa.make_token
  %b = tileaa.join_tokens %t, %k
  %s = tileaa.store_view %small, %v[%i, %j] after %b dims [0, 1] : tensor<8x2xf32>, !view
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}

// What a loop carries, what is loaded with an ordering, and tiles that fit.
// CHECK-LABEL: func @others
// CHECK-NOT: scf.for
func.func @others(%carried: tensor<8x16xf32>, %v: !view, %w: !view, %a: tensor<128xi64>, %b: tensor<128xi64>, %i: index, %j: index) {
  %u = tileaa.store_view %carried, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  %y, %s = tileaa.load_ptr acquire %a : tensor<128xi64>, -> tensor<128xf32>
  %r = tileaa.store_ptr %b, %y : tensor<128xi64>, tensor<128xf32>,
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<4x16xf32>
  %o = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<4x16xf32>, !view
  return
}

// What others need, too, may be twice as large; what nobody else loads, no larger than half.
// CHECK-LABEL: func @shared
// CHECK-NOT: scf.for
// CHECK-LABEL: func @alone
// CHECK: scf.for
func.func @shared(%v: !view, %w: !view, %i: index, %j: index) -> tensor<8x16xf32> {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return %x : tensor<8x16xf32>
}
func.func @alone(%v: !view, %w: !view, %i: index, %j: index) {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<8x16xf32>
  %u = tileaa.store_view %x, %w[%i, %j] dims [0, 1] : tensor<8x16xf32>, !view
  return
}

// Each row's sum stays, and it is large.
// CHECK-LABEL: func @many_sums
// CHECK-NOT: scf.for
func.func @many_sums(%v: !view, %i: index, %j: index) -> tensor<128xf32> {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<128x2xf32>
  %zero = arith.constant 0.0 : f32
  %sums = tileaa.reduce %x from %zero along 1 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tileaa.yield %r : f32
  } : (tensor<128x2xf32>, f32) -> tensor<128xf32>
  return %sums : tensor<128xf32>
}

// A step may give back a number that is no tile's.
// CHECK-LABEL: func @number
// CHECK: scf.for
// CHECK: scf.yield %{{.*}} : tensor<32xf32>, !tileaa.token
func.func @number(%v: !view, %i: index, %j: index, %n: f32) -> f32 {
  %x, %t = tileaa.load_view %v[%i, %j] dims [0, 1] : !view -> tensor<1x256xf32>
  %y = tileaa.reshape %x : tensor<1x256xf32> -> tensor<256xf32>
  %zero = arith.constant 0.0 : f32
  %last = tileaa.reduce %y from %zero along 0 {
  ^bb0(%p: f32, %q: f32):
    tileaa.yield %n : f32
  } : (tensor<256xf32>, f32) -> f32
  return %last : f32
}
