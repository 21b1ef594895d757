// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --cpu-carry-in-place --cpu-verify-carried --verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The update is written into the carried buffer; nothing is copied.
// CHECK-LABEL: func.func @update
func.func @update(%n: index) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<64xf32>
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[OLD:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable
  // CHECK: linalg.generic {{.*}} ins(%[[OLD]] : {{.*}}) outs(%[[OLD]] :
  // CHECK: materialize_in_destination {{.*}} in restrict writable %[[BUFFER]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%acc : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  return
}

// -----

// Two tiles that exchange places go by way of a third.
// CHECK-LABEL: func.func @swap
func.func @swap(%n: index, %x: tensor<64xf32>, %y: tensor<64xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK: linalg.copy
  // CHECK: linalg.copy
  // CHECK: materialize_in_destination
  // CHECK: materialize_in_destination
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<64xf32>, tensor<64xf32>) {
    scf.yield %b, %a : tensor<64xf32>, tensor<64xf32>
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// An accumulator that every iteration begins with comes from outside of the loop, and stays out of the loop's buffer.
// CHECK-LABEL: func.func @same_start
func.func @same_start(%n: index, %x: tensor<64xf32>, %y: tensor<64xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<64xf32>
  // CHECK: %[[OUTSIDE:.*]] = tensor.empty()
  // CHECK: %[[START:.*]] = linalg.generic {{.*}} outs(%[[OUTSIDE]] :
  %e = tensor.empty() : tensor<64xf32>
  %start = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  // CHECK: scf.for
  // CHECK: linalg.generic {{.*}} outs(%[[START]] :
  // CHECK: materialize_in_destination {{.*}} in restrict writable %[[BUFFER]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<64xf32> {
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%start : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  return
}
