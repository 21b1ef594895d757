// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Types in full and in short; both are read everywhere, the short form is printed.
cuda_tile.module @types {
  // CHECK: entry @short(%arg0: tile<ptr<i8>>, %arg1: tile<ptr<f32, <none>>>, %arg2: tile<i64>)
  entry @short(%a: !cuda_tile.tile<ptr<i8>>, %b: tile<ptr<f32, <none>>>, %c: tile<i64>) {
    // CHECK: make_tensor_view %arg1, shape = [4], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>
    %t = make_tensor_view %b, shape = [4], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>
    return
  }
}
