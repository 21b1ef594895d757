// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --cpu-carry-in-place --cpu-verify-carried --verify-each | FileCheck %s
// A tile read again after the loop is not computed in the buffer that the loop overwrites.
// CHECK-LABEL: func.func @read_again
func.func @read_again(%n: index, %out: memref<64xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<64xf32>
  // CHECK: %[[OWN:.*]] = tensor.empty() : tensor<64xf32>
  // CHECK: %[[INIT:.*]] = linalg.fill {{.*}} outs(%[[OWN]] :
  // CHECK: materialize_in_destination %[[INIT]] in restrict writable %[[BUFFER]]
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%acc : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  // CHECK: materialize_in_destination %[[INIT]] in restrict writable %arg1
  bufferization.materialize_in_destination %init in restrict writable %out : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// The result of an `if` that the loop carries on goes straight into the loop's buffer.
// CHECK-LABEL: func.func @if_in_loop
func.func @if_in_loop(%n: index, %condition: i1, %x: tensor<64xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<64xf32>
  // CHECK-NOT: memref.alloc
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: materialize_in_destination {{.*}} in restrict writable %[[BUFFER]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<64xf32> {
    %chosen = scf.if %condition -> tensor<64xf32> {
      %e = tensor.empty() : tensor<64xf32>
      %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%acc : tensor<64xf32>) outs(%e : tensor<64xf32>) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      } -> tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    } else {
      scf.yield %acc : tensor<64xf32>
    }
    scf.yield %chosen : tensor<64xf32>
  }
  return
}

// -----

// A view that is read after the loop counts as a read of its tile.
// CHECK-LABEL: func.func @view_read_again
func.func @view_read_again(%n: index, %out: memref<8x8xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<64xf32>
  // CHECK: %[[OWN:.*]] = tensor.empty() : tensor<64xf32>
  // CHECK: %[[INIT:.*]] = linalg.fill {{.*}} outs(%[[OWN]] :
  // CHECK: %[[VIEW:.*]] = tensor.expand_shape %[[INIT]]
  // CHECK: materialize_in_destination %[[INIT]] in restrict writable %[[BUFFER]]
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %view = tensor.expand_shape %init [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%acc : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  // CHECK: materialize_in_destination %[[VIEW]] in restrict writable %arg1
  bufferization.materialize_in_destination %view in restrict writable %out : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  return
}

// -----

// The next value does not go into the buffer of the old one while a view of the old one is still read.
// CHECK-LABEL: func.func @view_of_the_old_value
func.func @view_of_the_old_value(%n: index, %x: tensor<64xf32>, %out: memref<8x8xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<64xf32> {
    %view = tensor.expand_shape %acc [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
    // CHECK: %[[E:.*]] = tensor.empty() : tensor<64xf32>
    // CHECK: linalg.generic {{.*}} outs(%[[E]] :
    %e = tensor.empty() : tensor<64xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%acc : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    bufferization.materialize_in_destination %view in restrict writable %out : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
    scf.yield %next : tensor<64xf32>
  }
  return
}
