// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --verify-each | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// A register, its line of the next tile, and so on. Two inputs share the prefetches.
// CHECK-LABEL: func.func @sum
// CHECK: scf.for
// CHECK: vector.load %arg0{{.*}} vector<16xf32>
// CHECK-NEXT: memref.prefetch
// CHECK-NEXT: llvm.fence syncscope("singlethread") acq_rel
// CHECK-COUNT-2: vector.load %arg0{{.*}} vector<16xf32>
// CHECK-NEXT: memref.prefetch
// CHECK: vector.load %arg0{{.*}} vector<16xf32>
// CHECK-NOT: memref.prefetch
// CHECK: vector.load %arg1{{.*}} vector<16xf32>
// CHECK-NEXT: memref.prefetch
// CHECK-COUNT-2: vector.load %arg1{{.*}} vector<16xf32>
// CHECK-NEXT: memref.prefetch
// CHECK: vector.load %arg1{{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} vector<64xf32>
func.func @sum(%x: memref<1x256xf32>, %w: memref<1x256xf32>, %later: memref<1x256xf32>, %y: memref<1x256xf32>)
    attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w, %later : memref<1x256xf32>, memref<1x256xf32>, memref<1x256xf32>) outs(%y : memref<1x256xf32>)
      attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: f32, %b: f32, %unused: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// Without loads behind them, prefetches stay as they are.
// CHECK-LABEL: func.func @nothing_to_load
// CHECK-COUNT-4: memref.prefetch
// CHECK-NOT: llvm.fence
// CHECK: vector.store
func.func @nothing_to_load(%later: memref<1x256xf32>, %y: memref<1x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%later : memref<1x256xf32>) outs(%y : memref<1x256xf32>) attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%unused: f32, %c: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// Two loops without a loop around: each spreads its own.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-COUNT-4: vector.load {{.*}} vector<16xf32>
// CHECK: vector.store
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK-COUNT-4: llvm.fence
// CHECK-NOT: llvm.fence
func.func @one_after_the_other(%x: memref<64xf32>, %later: memref<64xf32>, %y: memref<64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %later : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>) attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: f32, %unused: f32, %c: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %later : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>) attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: f32, %unused: f32, %c: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}
