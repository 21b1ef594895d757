// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-host-calls --split-input-file | FileCheck %s

// The host reads row by row without gaps: a part of a tile is copied first, from its place.
// CHECK-LABEL: func.func @part
func.func @part(%tile: memref<4x4xi32>) attributes {tileaa.kernel} {
  // CHECK: %[[COPY:.*]] = memref.alloc() : memref<2x2xi32>
  // CHECK: %[[PART:.*]] = memref.subview
  %part = memref.subview %tile[2, 2] [2, 2] [1, 1] : memref<4x4xi32> to memref<2x2xi32, strided<[4, 1], offset: 10>>
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: scf.for %[[J:.*]] =
  // CHECK: %[[ELEMENT:.*]] = memref.load %[[PART]][%[[I]], %[[J]]]
  // CHECK: memref.store %[[ELEMENT]], %[[COPY]][%[[I]], %[[J]]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[COPY]]
  %token = tileaa.print "%d"(%part : memref<2x2xi32, strided<[4, 1], offset: 10>>)
  return
}

// -----

// A whole tile is read where it is.
// CHECK-LABEL: func.func @whole
func.func @whole(%tile: memref<4x4xi32>) attributes {tileaa.kernel} {
  // CHECK-NOT: scf.for
  // CHECK: memref.extract_aligned_pointer_as_index %arg0
  %token = tileaa.print "%d"(%tile : memref<4x4xi32>)
  return
}
