// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#rows = affine_map<(d0, d1) -> (d0, d1)>
#bound = affine_map<(d0, d1) -> ()>

// Whole cache lines past the cache, first four at a time, then one. What the row owns of the lines at both ends goes
// before them, in pieces of a quarter of a line, then of an element. Such a line, of the ninth row from here, is asked
// for.
// CHECK-LABEL: func.func @lines
// CHECK-SAME: %{{.*}}: memref<256xf32>, %[[OUT:.*]]: memref<256xf32>
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK: arith.andi %{{.*}}, %c63
// CHECK: %[[NEXT_LINE:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK-NEXT: %[[FIRST:.*]] = arith.minsi %[[NEXT_LINE]], %c256
// CHECK: %[[WHOLE:.*]] = arith.andi %{{.*}}, %c-16
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[WHOLE]]
// CHECK: %[[RAGGED:.*]] = arith.cmpi ne, %[[FIRST]]
// CHECK: scf.if %[[RAGGED]]
// CHECK: %[[LATER:.*]] = arith.addi
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
func.func @lines(%x: memref<256xf32>, %y: memref<256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<256xf32>) outs(%y : memref<256xf32>) attrs = {cpu.stream} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// One vector a row: no line is sure to be whole.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: nontemporal
// CHECK: return
func.func @narrow(%x: memref<64xf32>, %y: memref<64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) attrs = {cpu.stream} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Rows of a box: each finds its first whole line between its own begin and end. The rows below, not the elements behind,
// are asked for where they are nearer.
// CHECK-LABEL: func.func @box
// CHECK-SAME: %[[R0:[a-z0-9]+]]: index, %[[R1:[a-z0-9]+]]: index, %[[C0:[a-z0-9]+]]: index, %[[C1:[a-z0-9]+]]: index
// CHECK: scf.for %{{.*}} = %[[R0]] to %[[R1]]
// CHECK: %[[NEXT_LINE:.*]] = arith.addi %[[C0]], %{{.*}}
// CHECK-NEXT: arith.minsi %[[NEXT_LINE]], %[[C1]]
// CHECK: %[[NEAR:.*]] = arith.cmpi ult, %{{.*}}#0, %c512
// CHECK: arith.select %[[NEAR]]
// CHECK: nontemporal
// CHECK: return
func.func @box(%r0: index, %r1: index, %c0: index, %c1: index, %x: memref<8x256xf32>, %y: memref<8x256xf32, strided<[?, 1]>>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#bound, #bound, #bound, #bound, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%r0, %r1, %c0, %c1, %x : index, index, index, index, memref<8x256xf32>) outs(%y : memref<8x256xf32, strided<[?, 1]>>) attrs = {cpu.stream, cpu.bounds} {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
