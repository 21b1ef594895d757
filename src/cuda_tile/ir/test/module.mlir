// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK: cuda_tile.module @kernels producer "hand" {
cuda_tile.module @kernels producer "hand" {
  // CHECK: entry @none() {
  entry @none() {
    return
  }
  // CHECK: entry @hints(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) optimization_hints=<default = {num_cta_in_cga = 2, num_worker_warps_per_cta = 4, occupancy = 3}, sm_100 = {occupancy = 1}> {
  entry @hints(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<default = {num_cta_in_cga = 2, num_worker_warps_per_cta = 4, occupancy = 3}, sm_100 = {occupancy = 1}> {
    return
  }
  // CHECK: entry @call
  entry @call(%n: tile<i32>) {
    // CHECK: preview$call "f"(%arg0) {const_args = []} : (tile<i32>) -> (tile<i64>)
    %0 = preview$call "f"(%n) {const_args = []} : (tile<i32>) -> (tile<i64>)
    return
  }
}
