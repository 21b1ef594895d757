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
