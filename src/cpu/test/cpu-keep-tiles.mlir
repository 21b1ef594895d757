// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-keep-tiles --verify-each | FileCheck %s

#panels = affine_map<(d0, d1, d2) -> (d1, d0 * 64 + d2)>
#identity = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#plan = #cpu.plan<kept_bytes = 1048576, micro_tile_m = 4, micro_tile_n = 64, vector_bits = 512>

// The packed tile depends on array %b, the iteration and %n: the key.
// CHECK-LABEL: func.func @keeps
// CHECK-DAG: %[[STATE:.*]] = memref.alloc() {alignment = 64 : i64, cpu.state} : memref<8xi64>
// CHECK-DAG: %[[ROOM:.*]] = memref.alloc() {alignment = 64 : i64, cpu.kept} : memref<33x2x64x64xf32>
// CHECK: %[[N:.*]], %{{.*}}, %{{.*}} = tileaa.block_id
// CHECK: memref.load %[[STATE]]
// CHECK: memref.store %{{.*}}, %[[STATE]]
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[PLACE:.*]] = memref.subview %[[ROOM]]
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} outs(%[[PLACE]]
// CHECK: memref.store %{{.*}}, %[[STATE]]
// CHECK: cpu.mma %{{.*}}, %[[PLACE]] into
func.func @keeps(%b: i64, %steps: index, %a: memref<64x64xf32>, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #plan} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %panels = memref.alloc() : memref<2x64x64xf32>
  %n, %y, %z = tileaa.block_id
  scf.for %i = %c0 to %steps step %c1 {
    %row = arith.index_cast %i : index to i64
    %column = arith.extsi %n : i32 to i64
    %sum = arith.addi %row, %column : i64
    %address = arith.addi %b, %sum : i64
    %tile = cpu.array %address, [], [] : memref<64x128xf32>
    linalg.generic {indexing_maps = [#panels, #identity], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tile : memref<64x128xf32>) outs(%panels : memref<2x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    cpu.mma %a, %panels into %acc : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  return
}

// The copy of an edge tile belongs to the work that is skipped; what the product fetches ahead is the kept tile.
// CHECK-LABEL: func.func @edge
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: scf.if
// CHECK: cpu.copy_in
// CHECK: linalg.generic
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: %[[STRIDE:.*]] = arith.select
// CHECK: %[[AHEAD:.*]] = cpu.array %[[NEXT]], {{.*}}%[[STRIDE]]{{.}} : memref<64x128xf32, strided<[?, 1]>>
// CHECK: cpu.mma {{.*}} ahead(%[[AHEAD]] :
func.func @edge(%b: i64, %stride: index, %steps: index, %rows: index, %a: memref<64x64xf32>, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #plan} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %panels = memref.alloc() : memref<2x64x64xf32>
  %scratch = memref.alloc() : memref<64x128xf32>
  scf.for %i = %c0 to %steps step %c1 {
    %row = arith.index_cast %i : index to i64
    %address = arith.addi %b, %row : i64
    %next = arith.addi %address, %row : i64
    %whole = arith.cmpi slt, %i, %rows : index
    %tile = scf.if %whole -> memref<64x128xf32, strided<[?, 1]>> {
      %inside = cpu.array %address, [], [%stride] : memref<64x128xf32, strided<[?, 1]>>
      scf.yield %inside : memref<64x128xf32, strided<[?, 1]>>
    } else {
      %part = cpu.array %address, [%rows, %rows], [%stride] : memref<?x?xf32, strided<[?, 1]>>
      %copy = memref.cast %scratch : memref<64x128xf32> to memref<64x128xf32, strided<[?, 1]>>
      cpu.copy_in %part to %copy, %zero : memref<?x?xf32, strided<[?, 1]>>, memref<64x128xf32, strided<[?, 1]>>, f32
      scf.yield %copy : memref<64x128xf32, strided<[?, 1]>>
    }
    linalg.generic {indexing_maps = [#panels, #identity], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tile : memref<64x128xf32, strided<[?, 1]>>) outs(%panels : memref<2x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    %ahead = cpu.array %next, [], [%stride] : memref<64x128xf32, strided<[?, 1]>>
    cpu.mma %a, %panels into %acc ahead(%ahead : memref<64x128xf32, strided<[?, 1]>>) : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  return
}

// Another block may have changed the array.
// CHECK-LABEL: func.func @written
// CHECK-NOT: cpu.state
// CHECK: return
func.func @written(%b: i64, %steps: index, %a: memref<64x64xf32>, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #plan} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %panels = memref.alloc() : memref<2x64x64xf32>
  %out = cpu.array %b, [], [] : memref<64x128xf32>
  scf.for %i = %c0 to %steps step %c1 {
    %row = arith.index_cast %i : index to i64
    %address = arith.addi %b, %row : i64
    %tile = cpu.array %address, [], [] : memref<64x128xf32>
    linalg.generic {indexing_maps = [#panels, #identity], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tile : memref<64x128xf32>) outs(%panels : memref<2x64x64xf32>) {
    ^bb0(%in: f32, %out_element: f32):
      linalg.yield %in : f32
    }
    cpu.mma %a, %panels into %acc : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
  }
  cpu.copy_out %acc to %out : memref<64x128xf32>, memref<64x128xf32>
  return
}

// What the loop carries may differ from block to block.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: cpu.state
// CHECK: return
func.func @carried(%b: i64, %steps: index, %a: memref<64x64xf32>, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #plan} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %panels = memref.alloc() : memref<2x64x64xf32>
  scf.for %i = %c0 to %steps step %c1 iter_args(%at = %b) -> i64 {
    %row = arith.index_cast %i : index to i64
    %address = arith.addi %at, %row : i64
    %tile = cpu.array %address, [], [] : memref<64x128xf32>
    linalg.generic {indexing_maps = [#panels, #identity], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tile : memref<64x128xf32>) outs(%panels : memref<2x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    cpu.mma %a, %panels into %acc : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
    scf.yield %address : i64
  }
  return
}

// A second tile made in the same buffer in the same iteration would be what is kept.
// CHECK-LABEL: func.func @filled_twice
// CHECK-NOT: cpu.state
// CHECK: return
func.func @filled_twice(%b: i64, %steps: index, %a: memref<64x64xf32>, %acc: memref<64x128xf32>) attributes {tileaa.kernel, cpu.plan = #plan} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %panels = memref.alloc() : memref<2x64x64xf32>
  scf.for %i = %c0 to %steps step %c1 {
    %row = arith.index_cast %i : index to i64
    %address = arith.addi %b, %row : i64
    %tile = cpu.array %address, [], [] : memref<64x128xf32>
    linalg.generic {indexing_maps = [#panels, #identity], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tile : memref<64x128xf32>) outs(%panels : memref<2x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    cpu.mma %a, %panels into %acc : memref<64x64xf32>, memref<2x64x64xf32>, memref<64x128xf32>
    linalg.fill ins(%zero : f32) outs(%panels : memref<2x64x64xf32>)
  }
  return
}
