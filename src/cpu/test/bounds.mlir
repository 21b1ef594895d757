// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over a box of their elements.
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v3 --cpu-micro-tiles --verify-each | FileCheck %s --check-prefix=AVX2

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#bound = affine_map<(d0, d1) -> ()>

// Rows of the box, each by steps of four vectors, then by vectors under a mask that ends where the box does.
// CHECK-LABEL: func.func @box
// CHECK-SAME: %[[R0:[a-z0-9]+]]: index, %[[R1:[a-z0-9]+]]: index, %[[C0:[a-z0-9]+]]: index, %[[C1:[a-z0-9]+]]: index
// CHECK: scf.for %{{.*}} = %[[R0]] to %[[R1]] step %c1
// CHECK: %[[LENGTH:.*]] = arith.subi %[[C1]], %[[C0]]
// CHECK: %[[STEPS:.*]] = arith.andi %[[LENGTH]], %c-64
// CHECK: %[[REST:.*]] = arith.addi %[[C0]], %[[STEPS]]
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[REST]] step %c64
// CHECK: vector.store {{.*}} vector<64xf32>
// CHECK: scf.for %[[AT:.*]] = %[[REST]] to %[[C1]] step %c16
// CHECK: %[[LEFT:.*]] = arith.subi %[[C1]], %[[AT]]
// CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<16xi1>
// CHECK: vector.maskedload {{.*}}, %[[MASK]]
// CHECK: vector.maskedload {{.*}}, %[[MASK]]
// CHECK: vector.maskedstore {{.*}}, %[[MASK]]
// CHECK: return
func.func @box(%r0: index, %r1: index, %c0: index, %c1: index, %x: memref<8x128xf32>, %w: memref<128xf32>, %y: memref<8x128xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#bound, #bound, #bound, #bound, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r0, %r1, %c0, %c1, %x, %w : index, index, index, index, memref<8x128xf32>, memref<128xf32>) outs(%y : memref<8x128xf32>) attrs = {cpu.bounds} {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %a: f32, %v: f32, %b: f32):
    %s = arith.mulf %a, %v : f32
    linalg.yield %s : f32
  }
  return
}

// A dimension of one element has bounds, too: it may be outside.
// CHECK-LABEL: func.func @one_row
// CHECK: scf.for %{{.*}} = %arg0 to %arg1
// CHECK: return
func.func @one_row(%r0: index, %r1: index, %c0: index, %c1: index, %x: memref<1x16xf32>, %y: memref<1x16xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#bound, #bound, #bound, #bound, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r0, %r1, %c0, %c1, %x : index, index, index, index, memref<1x16xf32>) outs(%y : memref<1x16xf32>) attrs = {cpu.bounds} {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Machines without masks for elements of two bytes take them one by one.
// CHECK-LABEL: func.func @halves
// CHECK: vector.maskedstore {{.*}} vector<32xf16>
// CHECK: return
// AVX2-LABEL: func.func @halves
// AVX2-NOT: vector.masked
// AVX2: vector.store {{.*}} vector<1xf16>
// AVX2: return
func.func @halves(%r0: index, %r1: index, %c0: index, %c1: index, %x: memref<8x128xf16>, %y: memref<8x128xf16>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#bound, #bound, #bound, #bound, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r0, %r1, %c0, %c1, %x : index, index, index, index, memref<8x128xf16>) outs(%y : memref<8x128xf16>) attrs = {cpu.bounds} {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %a: f16, %b: f16):
    linalg.yield %a : f16
  }
  return
}

// So do loops whose elements divide by what they read, which a mask would make zero.
// CHECK-LABEL: func.func @quotients
// CHECK-NOT: vector.masked
// CHECK: vector.store {{.*}} vector<1xi32>
// CHECK: return
func.func @quotients(%r0: index, %r1: index, %c0: index, %c1: index, %x: memref<8x128xi32>, %y: memref<8x128xi32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#bound, #bound, #bound, #bound, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r0, %r1, %c0, %c1, %x : index, index, index, index, memref<8x128xi32>) outs(%y : memref<8x128xi32>) attrs = {cpu.bounds} {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %a: i32, %b: i32):
    %one = arith.constant 1 : i32
    %s = arith.divsi %one, %a : i32
    linalg.yield %s : i32
  }
  return
}
