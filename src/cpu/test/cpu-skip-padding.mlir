// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-to-linalg --cpu-plan=target=cpu:x86-64-v4 --cpu-skip-padding --verify-each | FileCheck %s

!line = !tileaa.view<[?], f32, strides = [1]>
!scalar = !tileaa.view<[1], f32, strides = [1]>

// As many elements as the result has, in whole vectors.
// CHECK-LABEL: func.func @stored
// CHECK-SAME: %[[N:[^:]*]]: index, %[[M:[^:]*]]: index
// CHECK: %[[LEFT:.*]] = arith.subi %[[M]]
// CHECK: %[[INSIDE:.*]] = arith.minsi
// CHECK: %[[UP:.*]] = arith.addi %[[INSIDE]], %c15
// CHECK: %[[VECTORS:.*]] = arith.andi %[[UP]], %c-16
// CHECK: %[[END:.*]] = arith.minsi %[[VECTORS]], %c1024
// CHECK: linalg.generic {{.*}} ins(%[[END]], {{.*}} {cpu.end = 0 : i64}
func.func @stored(%n: index, %m: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [%m], strides [] : !line
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !line -> tensor<1024xf32>
  %two = arith.addf %tile, %tile : tensor<1024xf32>
  %t1 = tileaa.store_view %two, %vy[%c0] dims [0] : tensor<1024xf32>, !line
  return
}

// One element of the padding takes part: 0 for each that is left out, or NaN for all of them.
// CHECK-LABEL: func.func @sum_of_powers
// CHECK: %[[INSIDE:.*]] = arith.minsi
// CHECK: arith.addi %[[INSIDE]], %c1
// CHECK: linalg.generic {{.*}} {cpu.end = 0 : i64}
func.func @sum_of_powers(%n: index, %x: i64, %y: i64, %highest: tensor<1xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [], strides [] : !scalar
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding neg_inf : !line -> tensor<1024xf32>
  %all = tileaa.broadcast %highest : tensor<1xf32> -> tensor<1024xf32>
  %difference = arith.subf %tile, %all : tensor<1024xf32>
  %power = math.exp %difference : tensor<1024xf32>
  %sum = tileaa.reduce %power from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1024xf32>, f32) -> tensor<f32>
  %value = tensor.extract %sum[] : tensor<f32>
  %t1 = tileaa.store_view %value, %vy[%c0] dims [] : f32, !scalar
  return
}

// -inf - x may be NaN for any x.
// CHECK-LABEL: func.func @another_maximum_for_each
// CHECK-NOT: cpu.end
// CHECK: return
func.func @another_maximum_for_each(%n: index, %x: i64, %y: i64, %highest: tensor<1024xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [], strides [] : !scalar
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding neg_inf : !line -> tensor<1024xf32>
  %difference = arith.subf %tile, %highest : tensor<1024xf32>
  %power = math.exp %difference : tensor<1024xf32>
  %sum = tileaa.reduce %power from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1024xf32>, f32) -> tensor<f32>
  %value = tensor.extract %sum[] : tensor<f32>
  %t1 = tileaa.store_view %value, %vy[%c0] dims [] : f32, !scalar
  return
}

// e^0 is 1: all of them count.
// CHECK-LABEL: func.func @sum_of_powers_of_zero
// CHECK-NOT: cpu.end
// CHECK: return
func.func @sum_of_powers_of_zero(%n: index, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [], strides [] : !scalar
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !line -> tensor<1024xf32>
  %power = math.exp %tile : tensor<1024xf32>
  %sum = tileaa.reduce %power from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<1024xf32>, f32) -> tensor<f32>
  %value = tensor.extract %sum[] : tensor<f32>
  %t1 = tileaa.store_view %value, %vy[%c0] dims [] : f32, !scalar
  return
}

// Behind the end of the array as behind a bound, `where` chooses 0.
// CHECK-LABEL: func.func @behind_a_bound
// CHECK-SAME: %[[N:[^:]*]]: index, %[[BOUND:[^:]*]]: i32
// CHECK: %[[LAST:.*]] = arith.index_cast %[[BOUND]]
// CHECK: arith.maxsi %[[LAST]]
// CHECK: linalg.generic {{.*}} {cpu.end = 0 : i64}
func.func @behind_a_bound(%n: index, %bound: i32, %x: i64, %y: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vy = tileaa.make_view %y, shape [], strides [] : !scalar
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !line -> tensor<1024xf32>
  %init = tensor.empty() : tensor<f32>
  %first = linalg.fill ins(%zero : f32) outs(%init : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%tile : tensor<1024xf32>) outs(%first : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %at = linalg.index 0 : index
    %i = arith.index_cast %at : index to i32
    %inside = arith.cmpi slt, %i, %bound : i32
    %one = math.exp %a : f32
    %chosen = arith.select %inside, %one, %zero : f32
    %s = arith.addf %b, %chosen : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %value = tensor.extract %sum[] : tensor<f32>
  %t1 = tileaa.store_view %value, %vy[%c0] dims [] : f32, !scalar
  return
}

// The view that a later loop stores to is made behind this one: it is made before.
// CHECK-LABEL: func.func @view_made_later
// CHECK: tileaa.make_view
// CHECK: tileaa.make_view
// CHECK: linalg.generic {{.*}} {cpu.end = 0 : i64}
// CHECK: linalg.generic {{.*}} {cpu.end = 0 : i64}
func.func @view_made_later(%n: index, %x: i64, %y: i64, %m: i32, %s: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %vx = tileaa.make_view %x, shape [%n], strides [] : !line
  %vs = tileaa.make_view %s, shape [], strides [] : !scalar
  %zero = arith.constant 0.0 : f32
  %tile, %t0 = tileaa.load_view %vx[%c0] dims [0] padding zero : !line -> tensor<1024xf32>
  %two = arith.addf %tile, %tile : tensor<1024xf32>
  %sum = tileaa.reduce %two from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tileaa.yield %add : f32
  } : (tensor<1024xf32>, f32) -> tensor<f32>
  %value = tensor.extract %sum[] : tensor<f32>
  %t1 = tileaa.store_view %value, %vs[%c0] dims [] : f32, !scalar
  %length = arith.index_cast %m : i32 to index
  %vy = tileaa.make_view %y, shape [%length], strides [] : !line
  %all = tensor.splat %value : tensor<1024xf32>
  %scaled = arith.mulf %two, %all : tensor<1024xf32>
  %t2 = tileaa.store_view %scaled, %vy[%c0] dims [0] : tensor<1024xf32>, !line
  return
}
