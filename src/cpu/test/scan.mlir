// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-micro-tiles --cpu-verify-micro-tiles --verify-each | FileCheck %s

// Along the lanes: sixteen elements in four steps, then with what came before.
// CHECK-LABEL: func.func @along
// CHECK: %[[ZERO:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[ZERO]]) -> (vector<16xf32>)
// CHECK:   %[[X:.*]] = vector.load
// CHECK:   %[[ONE:.*]] = vector.shuffle %[[ZERO]], %[[X]] [0, 16, 17, 18,
// CHECK:   %[[A:.*]] = arith.addf %[[ONE]], %[[X]] : vector<16xf32>
// CHECK:   vector.shuffle %[[ZERO]], %[[A]] [0, 1, 16, 17,
// CHECK:   vector.shuffle {{.*}} [0, 1, 2, 3, 16, 17,
// CHECK:   vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17,
// CHECK:   %[[ALL:.*]] = arith.addf
// CHECK:   %[[RESULT:.*]] = arith.addf %[[BEFORE]], %[[ALL]]
// CHECK:   %[[LAST:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [15, 15, 15,
// CHECK:   %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[LAST]]
// CHECK:   vector.store %[[RESULT]]
// CHECK:   scf.yield %[[NEXT]]
func.func @along(%x: memref<8x256xf32>, %y: memref<8x256xf32>) attributes {tileaa.kernel} {
  %zero = arith.constant 0.0 : f32
  cpu.scan %x from %zero into %y along 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    cpu.yield %s : f32
  } : (memref<8x256xf32>, f32, memref<8x256xf32>) -> ()
  return
}

// From the end: identities come in from above.
// CHECK-LABEL: func.func @reverse
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK:   arith.subi %{{.*}}, %[[I]]
// CHECK:   vector.shuffle {{.*}} [17, 18, 19, {{.*}}, 31, 15]
// CHECK:   vector.shuffle {{.*}} [0, 0, 0,
func.func @reverse(%x: memref<64xf32>, %y: memref<64xf32>) attributes {tileaa.kernel} {
  %zero = arith.constant 0.0 : f32
  cpu.scan %x from %zero into %y along 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    cpu.yield %s : f32
  } : (memref<64xf32>, f32, memref<64xf32>) -> ()
  return
}

// Lanes are columns. A constant and a scalar from outside are the same in all of them.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[K:[a-z0-9]+]]: i32)
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>)
// CHECK-NOT: vector.shuffle
// CHECK:   vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK:   vector.broadcast %[[K]] : i32 to vector<16xi32>
// CHECK:   arith.maxsi {{.*}} vector<16xi32>
// CHECK: return
func.func @columns(%x: memref<8x16xi32>, %y: memref<8x16xi32>, %z: memref<8x16xi32>, %k: i32) attributes {tileaa.kernel} {
  %zero = arith.constant 0 : i32
  cpu.scan %x, %x from %zero, %zero into %y, %z along 0 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %two = arith.constant 2 : i32
    %s = arith.muli %a, %two : i32
    %t = arith.addi %s, %k : i32
    %u = arith.maxsi %c, %d : i32
    cpu.yield %t, %u : i32, i32
  } : (memref<8x16xi32>, memref<8x16xi32>, i32, i32, memref<8x16xi32>, memref<8x16xi32>) -> ()
  return
}

// One by one: a body with a branch, and rows that are not contiguous.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: vector\.{{[a-z]}}
// CHECK: scf.if
// CHECK-NOT: vector\.{{[a-z]}}
// CHECK: return
func.func @scalar(%x: memref<8xi32>, %y: memref<8xi32>, %t: memref<8xf32, strided<[3]>>, %u: memref<8xf32>, %c: i1) attributes {tileaa.kernel} {
  %zero = arith.constant 0 : i32
  cpu.scan %x from %zero into %y along 0 {
  ^bb0(%a: i32, %b: i32):
    %s = scf.if %c -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    }
    cpu.yield %s : i32
  } : (memref<8xi32>, i32, memref<8xi32>) -> ()
  %one = arith.constant 1.0 : f32
  cpu.scan %t from %one into %u along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    cpu.yield %s : f32
  } : (memref<8xf32, strided<[3]>>, f32, memref<8xf32>) -> ()
  return
}
