// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Whole cache lines past the cache, first four at a time, then one. What the row owns of the lines at both ends goes
// before them, in pieces of a quarter of a line, then of an element. Such a line, of the ninth row from here, is asked
// for.
// CHECK-LABEL: func.func @lines
// CHECK-SAME: %{{.*}}: memref<256xf32>, %[[OUT:.*]]: memref<256xf32>, %[[FIRST:.*]]: index
// CHECK: %[[WHOLE:.*]] = arith.andi %{{.*}}, %c-16
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[WHOLE]]
// CHECK: %[[RAGGED:.*]] = arith.cmpi ne, %[[FIRST]]
// CHECK: scf.if %[[RAGGED]]
// CHECK: %[[LATER:.*]] = arith.constant 2303
// CHECK: memref.prefetch %[[OUT]][%[[LATER]]], write
// CHECK: scf.for %[[SIDE:.*]] =
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[SIDE]]
// CHECK: arith.select %[[LAST]], %[[END]], %{{.*}}
// CHECK: arith.select %[[LAST]], %{{.*}}, %[[FIRST]]
// CHECK: scf.for
// CHECK-NOT: nontemporal
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK: scf.for
// CHECK-NOT: nontemporal
// CHECK: vector.store {{.*}} vector<1xf32>
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[NEXT:.*]] step
// CHECK: vector.store {{.*}}nontemporal{{.*}} vector<64xf32>
// CHECK: scf.for %{{.*}} = %[[NEXT]] to
// CHECK: vector.store {{.*}}nontemporal{{.*}} vector<16xf32>
// CHECK-NOT: vector.store
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
