// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-widen-bits --verify-each | FileCheck %s
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-widen-bits --cpu-micro-tiles --verify-each | FileCheck %s --check-prefix=LOOPS

#id = affine_map<(d0) -> (d0)>
#point = affine_map<(d0) -> ()>

// CHECK: memref.global "private" constant @odd : memref<4xi8> = dense<[0, 1, 0, 1]>
memref.global "private" constant @odd : memref<4xi1> = dense<[false, true, false, true]>

// CHECK-LABEL: func.func @read(%{{.*}}: memref<64xi8>,
// CHECK: ^bb0(%[[IN:.*]]: i8, %{{.*}}: f32):
// CHECK:   %[[BIT:.*]] = arith.trunci %[[IN]] : i8 to i1
// CHECK:   arith.uitofp %[[BIT]] : i1 to f32
// LOOPS-LABEL: func.func @read
// LOOPS: %[[BYTES:.*]] = vector.load {{.*}} vector<64xi8>
// LOOPS: arith.trunci %[[BYTES]] : vector<64xi8> to vector<64xi1>
func.func @read(%x: memref<64xi1>, %y: memref<64xf32>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xi1>) outs(%y : memref<64xf32>) {
  ^bb0(%a: i1, %b: f32):
    %s = arith.uitofp %a : i1 to f32
    linalg.yield %s : f32
  }
  return
}

// A byte that is none of a bit stays what it is.
// CHECK-LABEL: func.func @write
// CHECK: ^bb0(%[[IN:.*]]: i8, %{{.*}}: i8):
// CHECK:   %[[BIT:.*]] = arith.cmpi sgt, %[[IN]]
// CHECK:   %[[BYTE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK:   linalg.yield %[[BYTE]] : i8
func.func @write(%x: memref<64xi8>, %y: memref<64xi1>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xi8>) outs(%y : memref<64xi1>) {
  ^bb0(%a: i8, %b: i1):
    %c0 = arith.constant 0 : i8
    %s = arith.cmpi sgt, %a, %c0 : i8
    linalg.yield %s : i1
  }
  return
}

// Bytes are combined bit by bit, and so are the lanes of a vector.
// CHECK-LABEL: func.func @any
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: linalg.generic
// CHECK: ^bb0(%[[IN:.*]]: i8, %[[ACCUMULATOR:.*]]: i8):
// CHECK:   %[[BIT:.*]] = arith.trunci %[[IN]] : i8 to i1
// CHECK:   %[[BYTE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK:   %[[EITHER:.*]] = arith.ori %[[ACCUMULATOR]], %[[BYTE]] : i8
// CHECK:   linalg.yield %[[EITHER]] : i8
// LOOPS-LABEL: func.func @any
// LOOPS: arith.ori {{.*}} : vector<64xi8>
func.func @any(%x: memref<256xi1>, %y: memref<i1>) attributes {tileaa.kernel} {
  %false = arith.constant false
  linalg.fill ins(%false : i1) outs(%y : memref<i1>)
  linalg.generic {indexing_maps = [#id, #point], iterator_types = ["reduction"]} ins(%x : memref<256xi1>) outs(%y : memref<i1>) {
  ^bb0(%a: i1, %b: i1):
    %s = arith.ori %b, %a : i1
    linalg.yield %s : i1
  }
  return
}

// So is arithmetic of bits.
// CHECK-LABEL: func.func @counted
// CHECK: ^bb0(%{{.*}}: i8, %[[ACCUMULATOR:.*]]: i8):
// CHECK:   arith.xori %[[ACCUMULATOR]], %{{.*}} : i8
// CHECK: ^bb0(%{{.*}}: i8, %[[ACCUMULATOR:.*]]: i8):
// CHECK:   arith.ori %[[ACCUMULATOR]], %{{.*}} : i8
func.func @counted(%x: memref<256xi1>, %y: memref<i1>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #point], iterator_types = ["reduction"]} ins(%x : memref<256xi1>) outs(%y : memref<i1>) {
  ^bb0(%a: i1, %b: i1):
    %s = arith.addi %b, %a : i1
    linalg.yield %s : i1
  }
  linalg.generic {indexing_maps = [#id, #point], iterator_types = ["reduction"]} ins(%x : memref<256xi1>) outs(%y : memref<i1>) {
  ^bb0(%a: i1, %b: i1):
    %s = arith.minsi %b, %a : i1
    linalg.yield %s : i1
  }
  return
}

// Other operations combine bits.
// CHECK-LABEL: func.func @same
// CHECK: ^bb0(%{{.*}}: i8, %[[ACCUMULATOR:.*]]: i8):
// CHECK:   %[[BEFORE:.*]] = arith.trunci %[[ACCUMULATOR]] : i8 to i1
// CHECK:   arith.cmpi eq, %[[BEFORE]], %{{.*}} : i1
func.func @same(%x: memref<256xi1>, %y: memref<i1>) attributes {tileaa.kernel} {
  linalg.generic {indexing_maps = [#id, #point], iterator_types = ["reduction"]} ins(%x : memref<256xi1>) outs(%y : memref<i1>) {
  ^bb0(%a: i1, %b: i1):
    %s = arith.cmpi eq, %b, %a : i1
    linalg.yield %s : i1
  }
  return
}

// A scan of bits is one of bytes, if its body is bitwise, and no vectors of bits are scanned.
// CHECK-LABEL: func.func @scan
// CHECK: cpu.scan %{{.*}} from %{{.*}} into %{{.*}} along 0 {
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8):
// CHECK:   arith.ori %[[A]], %[[B]] : i8
// CHECK: cpu.scan %{{.*}} from %{{.*}} into %{{.*}} along 0 {
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8):
// CHECK-DAG: arith.trunci %[[A]] : i8 to i1
// CHECK-DAG: arith.trunci %[[B]] : i8 to i1
// CHECK: arith.cmpi eq, {{.*}} : i1
// CHECK: cpu.yield %{{.*}} : i8
// LOOPS-LABEL: func.func @scan
// LOOPS: arith.ori {{.*}} : vector<8xi8>
// LOOPS-NOT: vector<{{.*}}i1>
// LOOPS: return
func.func @scan(%p: memref<8xi1>, %q: memref<8xi1>, %c: i1) attributes {tileaa.kernel} {
  cpu.scan %p from %c into %q along 0 {
  ^bb0(%a: i1, %b: i1):
    %s = arith.ori %a, %b : i1
    cpu.yield %s : i1
  } : (memref<8xi1>, i1, memref<8xi1>) -> ()
  cpu.scan %p from %c into %q along 0 {
  ^bb0(%a: i1, %b: i1):
    %s = arith.cmpi eq, %a, %b : i1
    cpu.yield %s : i1
  } : (memref<8xi1>, i1, memref<8xi1>) -> ()
  return
}

// CHECK-LABEL: func.func @copy
// CHECK: linalg.generic
// CHECK:   %[[BIT:.*]] = arith.trunci
// CHECK:   %[[BYTE:.*]] = arith.extui %[[BIT]]
// CHECK:   linalg.yield %[[BYTE]] : i8
func.func @copy(%x: memref<8xi1>, %y: memref<8xi1>) attributes {tileaa.kernel} {
  linalg.copy ins(%x : memref<8xi1>) outs(%y : memref<8xi1>)
  return
}

// An edge, a choice of buffers, a constant, and single elements.
// CHECK-LABEL: func.func @others
// CHECK: %[[PADDING:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: cpu.edge %{{.*}}, %[[PADDING]] : i8 : memref<?xi8> to memref<4xi8>
// CHECK: scf.if %{{.*}} -> (memref<4xi8>)
// CHECK:   memref.get_global @odd : memref<4xi8>
// CHECK: %[[BYTE:.*]] = memref.load %{{.*}} : memref<4xi8>
// CHECK: %[[BIT:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: arith.xori %[[BIT]]
func.func @others(%x: memref<?xi1>, %c: i1, %i: index) attributes {tileaa.kernel} {
  %edge = cpu.edge %x, %c : i1 : memref<?xi1> to memref<4xi1>
  %chosen = scf.if %c -> (memref<4xi1>) {
    scf.yield %edge : memref<4xi1>
  } else {
    %odd = memref.get_global @odd : memref<4xi1>
    scf.yield %odd : memref<4xi1>
  }
  %bit = memref.load %chosen[%i] : memref<4xi1>
  %not = arith.xori %bit, %c : i1
  memref.store %not, %edge[%i] : memref<4xi1>
  return
}
