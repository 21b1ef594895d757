// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
!part = memref<?x?xf32, strided<[?, 1]>>
!tile = memref<2x256xf32, strided<[?, 1]>>

// Whole vectors as far as all buffers reach, in rows that are inside; then single vectors, by masks.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32, {{.*}}>, %[[Y:.*]]: memref<?x?xf32, {{.*}}>, %[[PADDING:.*]]: f32
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[ROW]], %[[ROWS]]
// CHECK: arith.select %[[IN]], %[[COLUMNS]], %c0
// CHECK: arith.minsi
// CHECK: %[[WHOLE:.*]] = arith.addi
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[WHOLE]]
// CHECK: vector.load {{.*}} vector<64xf32>
// CHECK: vector.store {{.*}} vector<64xf32>
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to
// CHECK: vector.maskedload %[[X]]{{.*}} vector<16xf32>
// CHECK: vector.maskedstore %[[Y]]{{.*}} vector<16xf32>
func.func @elementwise(%x: !part, %y: !part, %padding: f32) attributes {tileaa.kernel} {
  %in = cpu.edge %x, %padding : f32 : !part to !tile
  %out = cpu.edge %y : !part to !tile
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%in : !tile) outs(%out : !tile) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Partial sums become one vector before the masked ones are added.
// CHECK-LABEL: func.func @reduction
// CHECK: %[[WHOLE:.*]]:4 = scf.for {{.*}} vector<64xf32>
// CHECK: scf.for
// CHECK-NOT: masked
// CHECK: vector.extract_strided_slice {{.*}} vector<64xf32> to vector<32xf32>
// CHECK: vector.extract_strided_slice {{.*}} vector<32xf32> to vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: vector.maskedload
// CHECK: arith.addf {{.*}} vector<16xf32>
func.func @reduction(%x: !part, %sums: memref<2xf32>, %padding: f32) attributes {tileaa.kernel} {
  %in = cpu.edge %x, %padding : f32 : !part to !tile
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%in : !tile) outs(%sums : memref<2xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A tile that begins before its array has no vectors without a mask, whose first lanes are left out too.
// CHECK-LABEL: func.func @before
// CHECK-SAME: %[[MISSING:[^:]*]]: index,
// CHECK: arith.cmpi sge, %{{.*}}, %[[MISSING]]
// CHECK: %[[STARTS:.*]] = arith.cmpi eq, %[[MISSING]]
// CHECK: arith.select %[[STARTS]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[MISSING]]
// CHECK: %[[SKIPPED:.*]] = vector.create_mask %[[LEFT]]
// CHECK: %[[FROM:.*]] = arith.xori %[[SKIPPED]]
// CHECK: vector.maskedload
func.func @before(%missing: index, %x: !part, %y: memref<2x256xf32>, %padding: f32) attributes {tileaa.kernel} {
  %in = cpu.edge %x before [%missing, %missing], %padding : f32 : !part to !tile
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%in : !tile) outs(%y : memref<2x256xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Past the cache only as far as all buffers reach; the rest in pieces, by masks.
// CHECK-LABEL: func.func @stream
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2
// CHECK: vector.maskedload {{.*}} vector<4xf32>
// CHECK: vector.maskedstore {{.*}} vector<4xf32>
// CHECK: vector.maskedstore {{.*}} vector<1xf32>
// CHECK-NOT: masked
// CHECK: vector.store {{.*}}nontemporal{{.*}} vector<64xf32>
// CHECK: vector.store {{.*}}nontemporal{{.*}} vector<16xf32>
// CHECK: return
func.func @stream(%x: !part, %y: !part, %padding: f32, %first: index) attributes {tileaa.kernel} {
  %in = cpu.edge %x, %padding : f32 : !part to !tile
  %out = cpu.edge %y : !part to !tile
  linalg.generic {indexing_maps = [#none, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%first, %in : index, !tile) outs(%out : !tile) attrs = {cpu.stream} {
  ^bb0(%f: index, %a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// One element at a time where lanes do not run along the lines.
// CHECK-LABEL: func.func @scalar
// CHECK: %[[ELEMENT:.*]] = scf.if
// CHECK: memref.load
// CHECK: scf.yield %[[PADDING:.*]] : f32
// CHECK: return
func.func @scalar(%x: memref<?xf32, strided<[1]>>, %y: memref<2x256xf32>, %padding: f32) attributes {tileaa.kernel} {
  %in = cpu.edge %x, %padding : f32 : memref<?xf32, strided<[1]>> to memref<2xf32, strided<[1]>>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%in : memref<2xf32, strided<[1]>>) outs(%y : memref<2x256xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
