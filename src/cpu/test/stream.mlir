// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// From the first cache line on, past the cache; at the ends, where the array begins or ends within a line, not.
// CHECK-LABEL: func.func @lines
// CHECK-SAME: %{{.*}}: memref<256xf32>, %{{.*}}: memref<256xf32>, %[[FIRST:.*]]: index
// CHECK: %[[RAGGED:.*]] = arith.cmpi ne, %[[FIRST]]
// CHECK: scf.if %[[RAGGED]]
// CHECK-NOT: nontemporal
// CHECK: scf.for %{{.*}} = %[[FIRST]]
// CHECK: vector.store {{.*}}nontemporal
// CHECK: scf.if %[[RAGGED]]
// CHECK-NOT: nontemporal
// CHECK: return
func.func @lines(%x: memref<256xf32>, %y: memref<256xf32>, %first: index) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#none, #id, #id], iterator_types = ["parallel"]} ins(%first, %x : index, memref<256xf32>) outs(%y : memref<256xf32>) attrs = {cpu.stream} {
  ^bb0(%f: index, %a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// One vector a row: no line is sure to be whole.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: nontemporal
// CHECK: return
func.func @narrow(%x: memref<64xf32>, %y: memref<64xf32>, %first: index) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#none, #id, #id], iterator_types = ["parallel"]} ins(%first, %x : index, memref<64xf32>) outs(%y : memref<64xf32>) attrs = {cpu.stream} {
  ^bb0(%f: index, %a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}
