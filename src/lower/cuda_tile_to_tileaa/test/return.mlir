// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-tileaa --verify-each | FileCheck %s

cuda_tile.module @m {
// CHECK-LABEL: func.func @early(
// CHECK-SAME: %[[C:.*]]: i1)
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: } else {
// CHECK-NEXT:   tileaa.assert
// CHECK-NEXT: }
// CHECK-NEXT: return
entry @early(%c: tile<i1>) {
  if %c {
    return
  }
  assert %c, "after" : tile<i1>
  return
}

// A `for` that may return counts in a while, which the return ends; what follows is guarded.
// CHECK-LABEL: func.func @from_for(
// CHECK-SAME: %[[N:.*]]: i32, %[[C:.*]]: i1)
entry @from_for(%n: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  // CHECK: %[[R:.*]]:3 = scf.while (%[[I:.*]] = %c0_i32, %[[DONE:.*]] = %false{{.*}}, %{{.*}} = %c0_i32) : (i32, i1, i32) -> (i32, i1, i32) {
  // CHECK:   %[[BELOW:.*]] = arith.cmpi slt, %[[I]], %[[N]]
  // CHECK:   %[[RUNS:.*]] = arith.xori %[[DONE]], %true
  // CHECK:   %[[GO:.*]] = arith.andi %[[BELOW]], %[[RUNS]]
  // CHECK:   scf.condition(%[[GO]])
  // CHECK: } do {
  // CHECK: ^bb0(%[[J:.*]]: i32, %{{.*}}: i1, %[[S:.*]]: i32):
  // CHECK:   %[[F:.*]]:2 = scf.if %[[C]] -> (i1, i32) {
  // CHECK:     scf.yield %true
  // CHECK:   } else {
  // CHECK:     arith.addi %[[S]], %[[J]]
  // CHECK:     scf.yield %false
  // CHECK:   }
  // CHECK:   %[[K:.*]] = arith.addi %[[J]], %c1_i32
  // CHECK:   scf.yield %[[K]], %[[F]]#0, %[[F]]#1
  // CHECK: }
  // CHECK: %[[REST:.*]] = arith.xori %[[R]]#1, %true
  // CHECK: scf.if %[[REST]] {
  // CHECK:   tileaa.assert
  %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
    if %c {
      return
    }
    %a = addi %s, %i : tile<i32>
    continue %a : tile<i32>
  }
  %d = cmpi equal %r, %n, signed : tile<i32> -> tile<i1>
  assert %d, "after" : tile<i1>
  return
}

// Out of a loop in a loop in a branch: each passes the flag on.
// CHECK-LABEL: func.func @from_nested_loops(
entry @from_nested_loops(%c: tile<i1>, %d: tile<i1>, %e: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  // CHECK: scf.if %arg0 -> (i1) {
  // CHECK:   %[[OUTER:.*]] = scf.while
  // CHECK:     %[[INNER:.*]] = scf.while
  // CHECK:     arith.xori %[[INNER]], %true
  // CHECK:     scf.if
  // CHECK:   arith.xori %[[OUTER]], %true
  // CHECK:   scf.if
  // CHECK: }
  // CHECK: scf.if
  // CHECK:   tileaa.assert
  // CHECK: return
  if %c {
    loop {
      loop {
        if %d {
          return
        }
        if %e {
          break
        }
        continue
      }
      if %e {
        break
      }
      continue
    }
  }
  assert %c, "after" : tile<i1>
  return
}

// Nothing after an `if` that always leaves is reached.
// CHECK-LABEL: func.func @unreachable(
// CHECK-NEXT: scf.if
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: return
entry @unreachable(%c: tile<i1>) {
  if %c {
    return
  } else {
    return
  }
  assert %c, "never" : tile<i1>
  return
}
}
