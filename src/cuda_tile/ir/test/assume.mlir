// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// The name tells what the fact is about.
cuda_tile.module @assume {
  // CHECK-LABEL: entry @facts
  entry @facts(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // CHECK: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %0 = assume div_by<16>, %p : tile<ptr<f32>>
    // CHECK: %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
    %1 = assume bounded<0, ?>, %n : tile<i32>
    // CHECK: %assume_assume = assume bounded<?, 7>, %assume_0 : tile<i32>
    %2 = assume bounded<?, 7>, %1 : tile<i32>
    // CHECK: %reshape = reshape
    %3 = reshape %2 : tile<i32> -> tile<1x1xi32>
    // CHECK: %assume_reshape = assume div_by<4, every 1 along 1>, %reshape : tile<1x1xi32>
    %4 = assume div_by<4, every 1 along 1>, %3 : tile<1x1xi32>
    // CHECK: %assume_assume_reshape = assume same_elements<[1, 0]>, %assume_reshape : tile<1x1xi32>
    %5 = assume same_elements<[1, 0]>, %4 : tile<1x1xi32>
    return
  }
  // CHECK-LABEL: entry @small
  entry @small(%n: tile<i4>) {
    // CHECK: assume bounded<-8, 7>, %arg0 : tile<i4>
    %0 = assume bounded<-8, 7>, %n : tile<i4>
    %c = iota : tile<4xi32>
    // A group of no elements says nothing.
    // CHECK: assume div_by<4611686018427387904, every 0 along 0>, %{{.*}} : tile<4xi32>
    %1 = assume div_by<4611686018427387904, every 0 along 0>, %c : tile<4xi32>
    return
  }
}
