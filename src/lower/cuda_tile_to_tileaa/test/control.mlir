// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa --verify-each | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[N:.*]]: i32)
entry @plain(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %t = make_token : token
  // CHECK: %[[R:.*]]:2 = scf.for unsigned %[[I:.*]] = %c0_i32 to %[[N]] step %c1_i32 iter_args(%[[S:.*]] = %c0_i32, %[[T:.*]] = %{{.*}}) -> (i32, !tileaa.token) : i32 {
  // CHECK:   %[[C:.*]] = arith.cmpi
  // CHECK:   %[[V:.*]] = scf.if %[[C]] -> (i32) {
  // CHECK:     scf.yield %[[I]]
  // CHECK:   } else {
  // CHECK:     scf.yield %[[S]]
  // CHECK:   }
  // CHECK:   scf.yield %[[V]], %[[T]] : i32, !tileaa.token
  // CHECK: }
  %r:2 = for unsigned %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero, %u = %t) -> (tile<i32>, token) {
    %c = cmpi less_than %i, %s, signed : tile<i32> -> tile<i1>
    %v = if %c -> (tile<i32>) {
      yield %i : tile<i32>
    } else {
      yield %s : tile<i32>
    }
    continue %v, %u : tile<i32>, token
  }
  // CHECK: scf.if
  // CHECK: assert
  // CHECK-NOT: else
  // CHECK: return
  %d = cmpi less_than %n, %r#0, signed : tile<i32> -> tile<i1>
  if %d {
    assert %d, "x" : tile<i1>
  }
  return
}

// Where one branch goes on, the code after the `if` moves into it.
// CHECK-LABEL: func.func @skip(
entry @skip(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  // CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %c0_i32)
  // CHECK:   %[[R:.*]] = scf.if %{{.*}} -> (i32) {
  // CHECK:     scf.yield %[[S]] : i32
  // CHECK:   } else {
  // CHECK:     %[[A:.*]] = arith.addi
  // CHECK:     scf.yield %[[A]] : i32
  // CHECK:   }
  // CHECK:   scf.yield %[[R]] : i32
  %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
    %c = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>
    if %c {
      continue %s : tile<i32>
    }
    %a = addi %s, %i : tile<i32>
    continue %a : tile<i32>
  }
  return
}

// A loop that ends by one test is an scf.while of two regions.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: %[[N:.*]]: i32)
entry @while(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  // CHECK: %[[R:.*]] = scf.while (%[[I:.*]] = %c0_i32) : (i32) -> i32 {
  // CHECK:   %[[C:.*]] = arith.cmpi slt, %[[I]], %[[N]]
  // CHECK:   scf.condition(%[[C]]) %[[I]] : i32
  // CHECK: } do {
  // CHECK: ^bb0(%[[J:.*]]: i32):
  // CHECK:   %[[K:.*]] = arith.addi %[[J]], %c1_i32
  // CHECK:   scf.yield %[[K]] : i32
  // CHECK: }
  %r = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
    %c = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
    if %c {
    } else {
      break %i : tile<i32>
    }
    %k = addi %i, %one : tile<i32>
    continue %k : tile<i32>
  }
  return
}

// Other loops tell by a flag whether there is a next iteration. Results of another type have places of their own.
// CHECK-LABEL: func.func @breaks(
entry @breaks(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  // CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %c0_i32) : (i32) -> (i32, tensor<8xi32>) {
  // CHECK:   %[[F:.*]]:3 = scf.if %{{.*}} -> (i1, i32, tensor<8xi32>) {
  // CHECK:     scf.yield %false{{.*}}, %{{.*}}, %{{.*}} : i1, i32, tensor<8xi32>
  // CHECK:   } else {
  // CHECK:     arith.addi
  // CHECK:     scf.if
  // CHECK:       scf.yield %true
  // CHECK:     else
  // CHECK:       scf.yield %false
  // CHECK:   scf.condition(%[[F]]#0) %[[F]]#1, %[[F]]#2 : i32, tensor<8xi32>
  // CHECK: } do {
  // CHECK: ^bb0(%[[NEXT:.*]]: i32, %{{.*}}: tensor<8xi32>):
  // CHECK:   scf.yield %[[NEXT]] : i32
  %r = loop iter_values(%i = %zero) : tile<i32> -> tile<8xi32> {
    %c = cmpi greater_than %i, %n, signed : tile<i32> -> tile<i1>
    if %c {
      %x = iota : tile<8xi32>
      break %x : tile<8xi32>
    }
    %k = addi %i, %one : tile<i32>
    %d = cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
    if %d {
      continue %k : tile<i32>
    } else {
      %y = iota : tile<8xi32>
      break %y : tile<8xi32>
    }
    continue %k : tile<i32>
  }
  return
}

// An index of less than 32 bits is counted in 32, which no step leaves.
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[N:.*]]: i8)
entry @narrow(%n: tile<i8>) {
  %zero = constant <i8: 0> : tile<i8>
  %step = constant <i8: -56> : tile<i8>
  // CHECK: %[[U:.*]] = arith.extui %[[N]] : i8 to i32
  // CHECK: %[[S:.*]] = arith.extui %c-56_i8 : i8 to i32
  // CHECK: %[[POSITIVE:.*]] = arith.select %{{.*}}, %[[S]], %c256_i32 : i32
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[U]] step %[[POSITIVE]] : i32
  // CHECK:   arith.trunci %[[I]] : i32 to i8
  for unsigned %i in (%zero to %n, step %step) : tile<i8> {
    %t = print_tko "%d", %i : tile<i8> -> token
  }
  // CHECK: arith.extsi %[[N]] : i8 to i32
  for %i in (%zero to %n, step %n) : tile<i8> {
    %t = print_tko "%d", %i : tile<i8> -> token
  }
  return
}

// So is one of 32 bits in 64, unless its step is 1.
// CHECK-LABEL: func.func @last_step(
// CHECK-SAME: %[[N:.*]]: i32)
entry @last_step(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  // CHECK: %[[U:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[U]] step %{{.*}} : i64
  // CHECK:   arith.trunci %[[I]] : i64 to i32
  for %i in (%zero to %n, step %two) : tile<i32> {
    %t = print_tko "%d", %i : tile<i32> -> token
  }
  return
}

// Where both branches may go on, a flag says whether the rest runs.
// CHECK-LABEL: func.func @deep(
entry @deep(%n: tile<i32>, %p: tile<i1>, %q: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  // CHECK: scf.while
  // CHECK: %[[F:.*]]:4 = scf.if %arg1 -> (i1, i32, i1, i32) {
  // CHECK: scf.if %[[F]]#0 -> (i1, i32) {
  // CHECK:   arith.addi %{{.*}}, %[[F]]#1
  // CHECK: } else {
  // CHECK:   scf.yield %[[F]]#2, %[[F]]#3 : i1, i32
  // CHECK: }
  %r = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
    %v = if %p -> (tile<i32>) {
      if %q {
        break %i : tile<i32>
      }
      yield %one : tile<i32>
    } else {
      yield %zero : tile<i32>
    }
    %k = addi %i, %v : tile<i32>
    continue %k : tile<i32>
  }
  return
}
}
