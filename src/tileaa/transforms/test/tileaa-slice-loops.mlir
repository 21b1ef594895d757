// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-slice-loops{limit=16384 slice=16384},canonicalize,cse))' --verify-each | FileCheck %s

!halves = !tileaa.view<[?, ?], f16, strides = [?, 1]>
!floats = !tileaa.view<[?, ?], f32, strides = [?, 1]>
!steps = !tileaa.view<[?, ?, ?], f32, strides = [?, ?, 1]>
!line = !tileaa.view<[?], f32, strides = [1]>

// The sums of a loop of products are stored in parts of 128x128, each the sums of a loop.
// CHECK-LABEL: func @carried_products(
// CHECK-SAME: tileaa.slices = ["256x256xf32 by 128x256", "128x256xf32 by 128x128"]
// CHECK: scf.for %[[M:.*]] = %c0 to %c2
// CHECK: scf.for %[[N:.*]] = %c0 to %c2
// CHECK: %[[S:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<128x128xf32>)
// CHECK: tileaa.load_view {{.*}} -> tensor<128x64xf16>
// CHECK: tileaa.load_view {{.*}} -> tensor<64x128xf16>
// CHECK: tileaa.mma %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK: tileaa.store_view %[[S]]
// CHECK-NOT: tensor<256x256
// CHECK: return
func.func @carried_products(%a: !halves, %b: !halves, %c: !floats, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %s = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<256x256xf32>) {
    %x, %t0 = tileaa.load_view %a[%i, %k] dims [0, 1] : !halves -> tensor<256x64xf16>
    %y, %t1 = tileaa.load_view %b[%k, %i] dims [0, 1] : !halves -> tensor<64x256xf16>
    %p = tileaa.mma %x, %y, %acc : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>
    scf.yield %p : tensor<256x256xf32>
  }
  %u = tileaa.store_view %s, %c[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  return
}

// Outside of loops, too; and every use of the product is in the loop.
// CHECK-LABEL: func @used_twice(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tileaa.mma {{.*}} tensor<128x128xf32>
// CHECK-DAG: tileaa.store_view
// CHECK-DAG: math.exp
// CHECK-DAG: tileaa.store_view
// CHECK-NOT: tensor<256x256xf32>
// CHECK: return
func.func @used_twice(%a: !halves, %b: !halves, %c: !floats, %d: !floats, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %x, %t0 = tileaa.load_view %a[%i, %i] dims [0, 1] : !halves -> tensor<256x64xf16>
  %y, %t1 = tileaa.load_view %b[%i, %i] dims [0, 1] : !halves -> tensor<64x256xf16>
  %p = tileaa.mma %x, %y, %zero : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>
  %u = tileaa.store_view %p, %c[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  %e = math.exp %p : tensor<256x256xf32>
  %v = tileaa.store_view %e, %d[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  return
}

// Along the only dimension each slice goes on from the last element of the slice before.
// CHECK-LABEL: func @scan_of_a_row(
// CHECK-SAME: tileaa.slice_made = 16384 : i64, tileaa.slices = ["32768xf32 by 16384"]
// CHECK: scf.for {{.*}} to %c2 {{.*}} iter_args({{.*}}, %[[LAST:[a-z0-9_]+]] = %{{.*}}) -> (!tileaa.token, tensor<1xf32>)
// CHECK: %[[S:.*]] = tileaa.scan {{.*}} along 0
// CHECK: %[[BEFORE:.*]] = tileaa.broadcast %[[LAST]] : tensor<1xf32> -> tensor<16384xf32>
// CHECK: %[[ON:.*]] = arith.mulf %[[BEFORE]], %[[S]]
// CHECK: %[[END:.*]] = arith.select %{{.*}}, %[[ON]], %{{.*}} : tensor<16384xi1>, tensor<16384xf32>
// CHECK: tileaa.reduce %[[END]]
// CHECK: tileaa.store_view %[[ON]],
// CHECK: return
func.func @scan_of_a_row(%x: !line, %y: !line, %i: index) -> !tileaa.token {
  %one = arith.constant 1.0 : f32
  %v, %t0 = tileaa.load_view %x[%i] dims [0] : !line -> tensor<32768xf32>
  %s = tileaa.scan %v from %one along 0 {
  ^bb0(%l: f32, %r: f32):
    %q = arith.mulf %l, %r : f32
    tileaa.yield %q : f32
  } : (tensor<32768xf32>, f32) -> tensor<32768xf32>
  %t1 = tileaa.store_view %s, %y[%i] dims [0] : tensor<32768xf32>, !line
  return %t1 : !tileaa.token
}

// Not from the end, nor of halves, which are not rounded between two elements.
// CHECK-LABEL: func @other_scans(
// CHECK-NOT: scf.for
// CHECK: return
func.func @other_scans(%x: tensor<32768xf32>, %y: tensor<32768xf16>) -> (tensor<32768xf32>, tensor<32768xf16>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %s = tileaa.scan %x from %zero along 0 reverse {
  ^bb0(%l: f32, %r: f32):
    %q = arith.addf %l, %r : f32
    tileaa.yield %q : f32
  } : (tensor<32768xf32>, f32) -> tensor<32768xf32>
  %t = tileaa.scan %y from %half along 0 {
  ^bb0(%l: f16, %r: f16):
    %q = arith.addf %l, %r : f16
    tileaa.yield %q : f16
  } : (tensor<32768xf16>, f16) -> tensor<32768xf16>
  return %s, %t : tensor<32768xf32>, tensor<32768xf16>
}

// Rows are scanned and summed as they are; sums of columns are those of all slices.
// CHECK-LABEL: func @scans_and_sums(
// CHECK-SAME: tileaa.slices = ["256x256xf32 by 64x256"]
// CHECK: %[[R:.*]] = scf.for {{.*}} to %c4 {{.*}} iter_args(%[[SUM:[a-z0-9_]+]] = 
// CHECK: %[[S:.*]] = tileaa.scan {{.*}} along 1
// CHECK: %[[PART:.*]] = tileaa.reduce {{.*}} along 0
// CHECK: arith.addf %[[SUM]], %[[PART]] : tensor<256xf32>
// CHECK: tileaa.store_view %[[R]],
func.func @scans_and_sums(%x: !floats, %y: !floats, %z: !line, %w: !line, %i: index) {
  %zero = arith.constant 0.0 : f32
  %v, %t0 = tileaa.load_view %x[%i, %i] dims [0, 1] : !floats -> tensor<256x256xf32>
  %s = tileaa.scan %v from %zero along 1 {
  ^bb0(%l: f32, %r: f32):
    %q = arith.addf %l, %r : f32
    tileaa.yield %q : f32
  } : (tensor<256x256xf32>, f32) -> tensor<256x256xf32>
  %columns = tileaa.reduce %s from %zero along 0 {
  ^bb0(%l: f32, %r: f32):
    %q = arith.addf %l, %r : f32
    tileaa.yield %q : f32
  } : (tensor<256x256xf32>, f32) -> tensor<256xf32>
  %rows = tileaa.reduce %s from %zero along 1 {
  ^bb0(%l: f32, %r: f32):
    %q = arith.addf %l, %r : f32
    tileaa.yield %q : f32
  } : (tensor<256x256xf32>, f32) -> tensor<256xf32>
  %t1 = tileaa.store_view %s, %y[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  %t2 = tileaa.store_view %rows, %w[%i] dims [0] : tensor<256xf32>, !line
  %t3 = tileaa.store_view %columns, %z[%i] dims [0] : tensor<256xf32>, !line
  return
}

// What is stored in place comes after the load of the same slice.
// CHECK-LABEL: func @in_place(
// CHECK: scf.for
// CHECK: %{{.*}}, %[[T:.*]] = tileaa.load_view %[[Y:[a-z0-9]+]][{{.*}} -> tensor<64x256xf32>
// CHECK: scf.for
// CHECK: tileaa.store_view {{.*}} after %[[T]]
func.func @in_place(%x: !steps, %y: !floats, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first, %t = tileaa.load_view %y[%i, %i] dims [0, 1] : !floats -> tensor<256x256xf32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<256x256xf32>) {
    %v, %t0 = tileaa.load_view %x[%k, %i, %i] dims [1, 2] : !steps -> tensor<256x256xf32>
    %p = arith.addf %v, %acc : tensor<256x256xf32>
    scf.yield %p : tensor<256x256xf32>
  }
  %u = tileaa.store_view %s, %y[%i, %i] after %t dims [0, 1] : tensor<256x256xf32>, !floats
  return
}

// Elsewhere a slice could be stored where another one is loaded later.
// CHECK-LABEL: func @elsewhere(
// CHECK-NOT: tensor<64x256
// CHECK: return
func.func @elsewhere(%y: !floats, %i: index, %j: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first, %t = tileaa.load_view %y[%i, %i] dims [0, 1] : !floats -> tensor<256x256xf32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<256x256xf32>) {
    %p = arith.addf %acc, %acc : tensor<256x256xf32>
    scf.yield %p : tensor<256x256xf32>
  }
  %u = tileaa.store_view %s, %y[%j, %j] after %t dims [0, 1] : tensor<256x256xf32>, !floats
  return
}

// An element depends on all others.
// CHECK-LABEL: func @turned(
// CHECK: iter_args({{.*}}) -> (tensor<256x256xf32>)
func.func @turned(%y: !floats, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256x256xf32>) {
    %p = tileaa.permute %acc by [1, 0] : tensor<256x256xf32> -> tensor<256x256xf32>
    scf.yield %p : tensor<256x256xf32>
  }
  %u = tileaa.store_view %s, %y[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  return
}

// A print is done once: the loop stays whole.
// CHECK-LABEL: func @prints(
// CHECK: iter_args({{.*}}) -> (tensor<256x256xf32>)
func.func @prints(%x: !steps, %y: !floats, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256x256xf32>) {
    %v, %t0 = tileaa.load_view %x[%k, %i, %i] dims [1, 2] : !steps -> tensor<256x256xf32>
    %b = arith.constant true
    tileaa.assert %b, "no" : i1
    %p = arith.addf %v, %acc : tensor<256x256xf32>
    scf.yield %p : tensor<256x256xf32>
  }
  %u = tileaa.store_view %s, %y[%i, %i] dims [0, 1] : tensor<256x256xf32>, !floats
  return
}
