// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// The row that is read three rows later, or the last, is prefetched line by line.
// CHECK-LABEL: func.func @table
// CHECK-SAME: %{{[a-z0-9]+}}: i64, %[[PITCH:[a-z0-9]+]]: i64, %[[BASE:[a-z0-9]+]]: i64, %[[ROWS:[a-z0-9]+]]: memref<64xi64>
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[LATER:.*]] = arith.addi %[[I]], %c3
// CHECK: %[[PLACE:.*]] = arith.minsi %[[LATER]], %c63
// CHECK: %[[ROW:.*]] = memref.load %[[ROWS]][%[[PLACE]]]
// CHECK: arith.muli %[[ROW]], %[[PITCH]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: llvm.load
// CHECK-COUNT-4: llvm.intr.prefetch
// CHECK-LABEL: func.func @next_block
func.func @table(%bound: i64, %pitch: i64, %base: i64, %rows: memref<64xi64>, %y: memref<64x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : memref<64xi64>) outs(%y : memref<64x256xf32>) attrs = {cpu.stream} {
  ^bb0(%row: i64, %out: f32):
    %size = arith.constant 4 : i64
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %column = arith.index_cast %j : index to i64
    %first = arith.muli %row, %pitch : i64
    %element = arith.addi %first, %column : i64
    %bytes = arith.muli %element, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %row, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// With the indices of the next block, its rows too.
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: memref<4xi64>, %[[NEXT:[a-z0-9]+]]: memref<4xi64>
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[LATER:.*]] = arith.addi %[[I]], %c3
// CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[LATER]], %c4
// CHECK: scf.if %[[BEHIND]]
// CHECK: %[[PLACE:.*]] = arith.subi %[[LATER]], %c4
// CHECK: memref.load %[[NEXT]][%[[PLACE]]]
// CHECK: else
// CHECK: memref.load %[[ROWS]][%[[LATER]]]
// CHECK: llvm.intr.prefetch
// CHECK-LABEL: func.func @in_cache
func.func @next_block(%bound: i64, %pitch: i64, %base: i64, %rows: memref<4xi64>, %next: memref<4xi64>, %y: memref<4x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows, %next : memref<4xi64>, memref<4xi64>) outs(%y : memref<4x256xf32>) attrs = {cpu.stream, cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%row: i64, %later: i64, %out: f32):
    %size = arith.constant 4 : i64
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %column = arith.index_cast %j : index to i64
    %first = arith.muli %row, %pitch : i64
    %element = arith.addi %first, %column : i64
    %bytes = arith.muli %element, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %row, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// Results that stay in the cache come from a table that does, as far as is known.
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: func.func @short
func.func @in_cache(%bound: i64, %pitch: i64, %base: i64, %rows: memref<64xi64>, %y: memref<64x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : memref<64xi64>) outs(%y : memref<64x256xf32>) {
  ^bb0(%row: i64, %out: f32):
    %size = arith.constant 4 : i64
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %column = arith.index_cast %j : index to i64
    %first = arith.muli %row, %pitch : i64
    %element = arith.addi %first, %column : i64
    %bytes = arith.muli %element, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %row, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// Rows of two lines: the processor is at the next ones already.
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: func.func @few
func.func @short(%bound: i64, %pitch: i64, %base: i64, %rows: memref<64xi64>, %y: memref<64x32xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : memref<64xi64>) outs(%y : memref<64x32xf32>) attrs = {cpu.stream} {
  ^bb0(%row: i64, %out: f32):
    %size = arith.constant 4 : i64
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %column = arith.index_cast %j : index to i64
    %first = arith.muli %row, %pitch : i64
    %element = arith.addi %first, %column : i64
    %bytes = arith.muli %element, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %row, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}

// The block ends before the row that would be prefetched.
// CHECK-NOT: llvm.intr.prefetch
func.func @few(%bound: i64, %pitch: i64, %base: i64, %rows: memref<2xi64>, %y: memref<2x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : memref<2xi64>) outs(%y : memref<2x256xf32>) attrs = {cpu.stream} {
  ^bb0(%row: i64, %out: f32):
    %size = arith.constant 4 : i64
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %column = arith.index_cast %j : index to i64
    %first = arith.muli %row, %pitch : i64
    %element = arith.addi %first, %column : i64
    %bytes = arith.muli %element, %size : i64
    %address = arith.addi %base, %bytes : i64
    %inside = arith.cmpi ult, %row, %bound : i64
    %value = cpu.ptr_load %address, %inside, %zero : i64, i1, f32
    linalg.yield %value : f32
  }
  return
}
