// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#line = affine_map<(d0) -> (d0)>
#point = affine_map<(d0) -> ()>

// Four vectors at once along the contiguous dimension.
// CHECK-LABEL: func.func @elementwise
// CHECK: vector.load {{.*}} vector<64xf32>
// CHECK: arith.addf {{.*}} vector<64xf32>
// CHECK: vector.store
func.func @elementwise(%x: memref<8x256xf32>, %y: memref<8x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x256xf32>) outs(%y : memref<8x256xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A reduction along the lanes: partial results of several steps that do not wait for each other, combined in pairs, then
// half the lanes with the other half.
// CHECK-LABEL: func.func @reduction
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>, vector<64xf32>, vector<64xf32>, vector<64xf32>)
// CHECK-COUNT-4: vector.load
// CHECK: scf.yield
// CHECK-COUNT-3: arith.addf {{.*}} vector<64xf32>
// CHECK-NOT: vector<64xf32>,
// CHECK: vector.extract_strided_slice {{.*}} sizes = [32]
// CHECK: vector.extract_strided_slice {{.*}} sizes = [1]
// CHECK: memref.store
func.func @reduction(%x: memref<8x256xf32>, %y: memref<8xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x256xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  }
  return
}

// The lanes of an extremum are combined by one operation, which knows its accumulators.
// CHECK-LABEL: func.func @reduction_to_extremum
// CHECK: scf.for
// CHECK: arith.maxnumf {{.*}} vector<64xf32>
// CHECK: vector.reduction <maxnumf>
// CHECK-NOT: vector.extract_strided_slice
func.func @reduction_to_extremum(%x: memref<8x256xf32>, %y: memref<8xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x256xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maxnumf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// A step with functions is long enough by itself.
// CHECK-LABEL: func.func @reduction_of_functions
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>) {
func.func @reduction_of_functions(%x: memref<8x256xf32>, %y: memref<8xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x256xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp2 %a : f32
    %s = arith.addf %b, %e : f32
    linalg.yield %s : f32
  }
  return
}

// Eight sums have two vectors each, as half of the registers holds.
// CHECK-LABEL: func.func @eight_sums
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
func.func @eight_sums(%x: memref<256xf32>, %y: memref<f32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line, #point, #point, #point, #point, #point, #point, #point, #point], iterator_types = ["reduction"]}
    ins(%x : memref<256xf32>)
    outs(%y, %y, %y, %y, %y, %y, %y, %y : memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32, %i: f32):
    %0 = cpu.element %a of 0 : f32
    %1 = cpu.element %a of 1 : f32
    %2 = cpu.element %a of 2 : f32
    %3 = cpu.element %a of 3 : f32
    %4 = cpu.element %a of 4 : f32
    %5 = cpu.element %a of 5 : f32
    %6 = cpu.element %a of 6 : f32
    %7 = cpu.element %a of 7 : f32
    %s = arith.addf %b, %0 : f32
    %t = arith.addf %c, %1 : f32
    %u = arith.addf %d, %2 : f32
    %v = arith.addf %e, %3 : f32
    %w = arith.addf %f, %4 : f32
    %p = arith.addf %g, %5 : f32
    %q = arith.addf %h, %6 : f32
    %r = arith.addf %i, %7 : f32
    linalg.yield %s, %t, %u, %v, %w, %p, %q, %r : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return
}

// Lanes of bf16 that are reduced are the even elements, then the odd ones; so are their positions.
// CHECK-LABEL: func.func @reduction_of_halves
// CHECK-DAG: %[[UPPER:.*]] = arith.constant dense<-65536> : vector<32xi32>
// CHECK-DAG: %[[UP:.*]] = arith.constant dense<16> : vector<32xi32>
// CHECK-DAG: %[[PLACES:.*]] = arith.constant dense<[0, 2, 4, {{.*}}, 62, 1, 3, {{.*}}, 63]> : vector<64xi32>
// CHECK: %[[LOADED:.*]] = vector.load {{.*}} vector<64xbf16>
// CHECK: %[[PAIRS:.*]] = vector.bitcast %[[LOADED]] : vector<64xbf16> to vector<32xi32>
// CHECK-DAG: arith.shli %[[PAIRS]], %[[UP]]
// CHECK-DAG: arith.andi %[[PAIRS]], %[[UPPER]]
// CHECK: vector.shuffle {{.*}} [0, 1, 2, {{.*}} 63] : vector<32xf32>, vector<32xf32>
// CHECK-NOT: arith.extf
// CHECK: arith.addi %{{.*}}, %[[PLACES]]
// CHECK: arith.minsi {{.*}} vector<64xi32>
func.func @reduction_of_halves(%x: memref<8x256xbf16>, %m: memref<8xf32>, %y: memref<8xi32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %m : memref<8x256xbf16>, memref<8xf32>) outs(%y : memref<8xi32>) {
  ^bb0(%a: bf16, %most: f32, %b: i32):
    %none = arith.constant 256 : i32
    %wide = arith.extf %a : bf16 to f32
    %is = arith.cmpf oeq, %wide, %most : f32
    %at = linalg.index 1 : index
    %place = arith.index_cast %at : index to i32
    %s = arith.select %is, %place, %none : i32
    %first = arith.minsi %b, %s : i32
    linalg.yield %first : i32
  }
  return
}

// A sum in order fetches the later tile's row that it reads of this one.
// CHECK-LABEL: func.func @fetches_in_order
// CHECK: scf.for %[[ROW:.*]] = %c0
// CHECK: vector.load %arg0[%[[ROW]], %{{.*}}]
// CHECK: memref.prefetch %arg1[%[[ROW]], %{{.*}}]
func.func @fetches_in_order(%x: memref<8x16xf32>, %later: memref<8x16xf32>, %y: memref<16xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x, %later : memref<8x16xf32>, memref<8x16xf32>) outs(%y : memref<16xf32>) attrs = {cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: f32, %unused: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A loop that fetches the second half of a tile takes one line of bf16 a step, here four steps at once.
// CHECK-LABEL: func.func @fetches_half
// CHECK: scf.for %[[AT:.*]] = %c0
// CHECK: %[[HALVED:.*]] = arith.shrui %[[AT]], %c1
// CHECK: %[[SECOND:.*]] = arith.addi %[[HALVED]], %c128
// CHECK: %[[LINE:.*]] = arith.addi %[[SECOND]], %c0
// CHECK: memref.prefetch %arg1[%c0{{.*}}, %[[LINE]]]
// CHECK-COUNT-3: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @fetches_half(%x: memref<1x256xbf16>, %later: memref<1x256xbf16>, %y: memref<1xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %later : memref<1x256xbf16>, memref<1x256xbf16>) outs(%y : memref<1xf32>) attrs = {cpu.fetch = #cpu.fetch<1, half = 1>} {
  ^bb0(%a: bf16, %unused: bf16, %b: f32):
    %wide = arith.extf %a : bf16 to f32
    %s = arith.addf %b, %wide : f32
    linalg.yield %s : f32
  }
  return
}

// Where another operand is no bf16 the elements stay in order.
// CHECK-LABEL: func.func @reduction_of_mixed
// CHECK: arith.extf {{.*}} : vector<64xbf16> to vector<64xf32>
func.func @reduction_of_mixed(%x: memref<8x256xbf16>, %w: memref<8x256xf32>, %y: memref<8xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<8x256xbf16>, memref<8x256xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: bf16, %w0: f32, %b: f32):
    %wide = arith.extf %a : bf16 to f32
    %p = arith.mulf %wide, %w0 : f32
    %s = arith.addf %b, %p : f32
    linalg.yield %s : f32
  }
  return
}

// What is the same in all vectors is computed once, before them: here the reciprocal of a row's sum.
// CHECK-LABEL: func.func @same_in_all_vectors
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = memref.load
// CHECK: %[[SCALE:.*]] = arith.divf %{{.*}}, %[[SUM]] : f32
// CHECK: vector.broadcast %[[SCALE]]
// CHECK: scf.for
// CHECK-NOT: divf
// CHECK: vector.store
func.func @same_in_all_vectors(%x: memref<8x256xf32>, %sum: memref<8xf32>, %y: memref<8x256xf32>) attributes {tileaa.kernel} {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : memref<8x256xf32>, memref<8xf32>) outs(%y : memref<8x256xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %i = arith.divf %one, %s : f32
    %r = arith.mulf %a, %i : f32
    linalg.yield %r : f32
  }
  return
}

// A transposition works on square blocks: parts of lines are loaded where they belong, then 4x4 within parts, by twice
// interleaving registers.
// CHECK-LABEL: func.func @transposition
// CHECK-COUNT-16: vector.load {{.*}} vector<4xf32>
// CHECK: vector.shuffle {{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK: vector.shuffle {{.*}} [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31]
// CHECK-COUNT-6: vector.shuffle
// CHECK-NOT: vector.transpose
// CHECK-COUNT-4: vector.store {{.*}} vector<16xf32>
func.func @transposition(%x: memref<64x32xf32>, %y: memref<32x64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Elements of two bytes: blocks of 32 lanes, 8x8 within parts.
// CHECK-LABEL: func.func @transposition_of_halves
// CHECK-COUNT-32: vector.load {{.*}} vector<8xbf16>
// CHECK-COUNT-24: vector.shuffle {{.*}} vector<32xbf16>, vector<32xbf16>
// CHECK-COUNT-8: vector.store {{.*}} vector<32xbf16>
func.func @transposition_of_halves(%x: memref<64x32xbf16>, %y: memref<32x64xbf16>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x32xbf16>) outs(%y : memref<32x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    linalg.yield %a : bf16
  }
  return
}

// What the next block reads is fetched by lines, the same lines as this block's; results past the cache are whole
// cache lines if the first begins at one.
// CHECK-LABEL: func.func @transposition_past_the_cache
// CHECK: %[[BEFORE:.*]] = arith.divui
// CHECK: %[[REGULAR:.*]] = arith.cmpi eq
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[BEFORE]], %c0
// CHECK: %[[ALIGNED:.*]] = arith.andi %[[IS_FIRST]], %[[REGULAR]]
// CHECK-COUNT-64: memref.prefetch
// CHECK-COUNT-64: vector.load {{.*}} vector<16xi8>
// CHECK: scf.if %[[ALIGNED]] {
// CHECK-COUNT-16: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} {{.*}} vector<64xi8>
// CHECK: else
// CHECK-COUNT-16: vector.store {{.*}} : memref<128x64xi8>, vector<64xi8>
func.func @transposition_past_the_cache(%x: memref<64x128xi8>, %next: memref<64x128xi8>, %y: memref<128x64xi8>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#turned, #turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %next : memref<64x128xi8>, memref<64x128xi8>) outs(%y : memref<128x64xi8>) attrs = {cpu.stream, cpu.fetch = #cpu.fetch<1>} {
  ^bb0(%a: i8, %n: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}

// Long lines of results past the cache are whole blocks from the first line on. What comes before it and behind the
// last is stored by parts of lines, which are fetched before.
// CHECK-LABEL: func.func @transposition_from_a_line_on
// CHECK: %[[BEFORE:.*]] = arith.divui
// CHECK: %[[PASTCACHE:.*]] = arith.andi {{.*}} : i1
// CHECK: %[[FIRST:.*]] = arith.select %[[PASTCACHE]], %[[BEFORE]], %c0
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END:.*]] step %c16
// CHECK: scf.if %[[PASTCACHE]]
// CHECK: nontemporal = true
// CHECK: scf.for %[[SIDE:.*]] = %c0{{.*}} to %c2
// CHECK: arith.select %{{.*}}, %c0{{.*}}, %[[END]]
// CHECK-COUNT-16: memref.prefetch {{.*}}, write
// CHECK-NOT: nontemporal
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK-NOT: nontemporal
// CHECK: return
func.func @transposition_from_a_line_on(%x: memref<256x64xf32>, %y: memref<64x256xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<256x64xf32>) outs(%y : memref<64x256xf32>) attrs = {cpu.stream} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// 4x64 of the accumulator in 16 registers.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-16: vector.load {{.*}} vector<16xf32>
// CHECK: scf.for
// CHECK-COUNT-4: vector.load {{.*}} vector<16xf32>
// CHECK-COUNT-16: vector.fma
// CHECK-COUNT-16: vector.store
func.func @product(%a: memref<128x64xf32>, %b: memref<64x256xf32>, %c: memref<128x256xf32>) attributes {tileaa.kernel} {
  cpu.mma %a, %b into %c : memref<128x64xf32>, memref<64x256xf32>, memref<128x256xf32>
  return
}

// The bound of columns is one of data: a last vector alone gets a block of more rows.
// CHECK-LABEL: func.func @ragged
// CHECK-SAME: %[[BOUND:[a-z0-9]+]]: index
// CHECK: %[[REST:.*]] = arith.remui %[[BOUND]], %c32
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[REST]], %c16
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[REST]], %c0
// CHECK: %[[NARROW:.*]] = arith.andi %[[FITS]], %[[SOME]]
// CHECK: %[[WIDE:.*]] = arith.select %[[FITS]]
// CHECK: scf.for {{.*}} to %[[WIDE]] step %c32
// CHECK-COUNT-16: vector.fma
// CHECK: scf.if %[[NARROW]] {
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @ragged(%a: memref<128x64xf32>, %b: memref<64x32xf32>, %c: memref<128x32xf32>, %bound: index) attributes {tileaa.kernel} {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cpu.mma %a, %b into %c bounds (%c128, %bound, %c64) {ragged} : memref<128x64xf32>, memref<64x32xf32>, memref<128x32xf32>
  return
}

// Masks of one byte have the lanes of what is compared for them.
// CHECK-LABEL: func.func @mask
// CHECK: arith.cmpi slt, {{.*}} : vector<64xi32>
// CHECK: vector.store {{.*}} : memref<256xi8>, vector<64xi8>
func.func @mask(%n: i32, %y: memref<256xi8>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<256xi8>) {
  ^bb0(%a: i8):
    %i = linalg.index 0 : index
    %column = arith.index_cast %i : index to i32
    %m = arith.cmpi slt, %column, %n : i32
    %b = arith.extui %m : i1 to i8
    linalg.yield %b : i8
  }
  return
}

// Marks tell which accumulator an element is combined with: both at once along the lanes.
// CHECK-LABEL: func.func @argmax
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>, vector<64xi32>)
// CHECK: arith.cmpf ogt, {{.*}} : vector<64xf32>
// CHECK: arith.select {{.*}} : vector<64xi1>, vector<64xi32>
// CHECK-NOT: cpu.element
// CHECK: return
func.func @argmax(%x: memref<8x256xf32>, %y: memref<8xf32>, %z: memref<8xi32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x256xf32>) outs(%y, %z : memref<8xf32>, memref<8xi32>) {
  ^bb0(%a: f32, %m: f32, %n: i32):
    %i = linalg.index 1 : index
    %at = arith.index_cast %i : index to i32
    %e = cpu.element %a of 0 : f32
    %k = cpu.element %at of 1 : i32
    %nan = arith.cmpf uno, %e, %e : f32
    %more = arith.cmpf ogt, %e, %m : f32
    %better = arith.ori %nan, %more : i1
    %s = arith.select %better, %e, %m : f32
    %t = arith.select %better, %k, %n : i32
    linalg.yield %s, %t : f32, i32
  }
  return
}

// Two accumulators without marks: which element belongs to which is not known, so one by one.
// CHECK-LABEL: func.func @unmarked
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32)
func.func @unmarked(%x: memref<256xf32>, %w: memref<256xf32>, %y: memref<f32>, %z: memref<f32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#line, #line, #point, #point], iterator_types = ["reduction"]} ins(%x, %w : memref<256xf32>, memref<256xf32>) outs(%y, %z : memref<f32>, memref<f32>) {
  ^bb0(%a: f32, %b: f32, %m: f32, %n: f32):
    %s = arith.mulf %m, %b : f32
    %t = arith.mulf %n, %b : f32
    %u = arith.addf %t, %a : f32
    linalg.yield %s, %u : f32, f32
  }
  return
}
