// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A decision that a plan file asks for holds, or the kernel is refused with the line of the file.
// RUN: tilewright-opt %s --tileas-check-decisions --split-input-file --verify-diagnostics | FileCheck %s

// A loop on which no pass decided prefetches nothing; loops keep their numbers.
// CHECK: func.func @kept({{.*}}tileas.plan = [#tileas.decision<kernel 0 warps = 4 asked 4 by "k:2" because "of the hint">, #tileas.decision<loop 0 stages = 1 at "{{.*}}" because "no load of the loop is prefetched">]
// CHECK: } {tileas.number = 0 : i64}
func.func @kept(%n: i32) attributes {tileaa.kernel, tileas.plan = [#tileas.decision<kernel 0 warps = 4 asked 4 by "k:2" because "of the hint">]} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
  } {tileas.number = 0}
  return
}

// -----

// expected-error @+1 {{k:7: stages = 3 of loop 0 (k.py:5) is impossible, it is 2: there is no room}}
func.func @otherwise() attributes {tileaa.kernel, tileas.plan = [#tileas.decision<loop 0 stages = 2 asked 3 by "k:7" at "k.py:5" because "there is no room">]} {
  return
}

// -----

// expected-error @+1 {{k:7: stages = 3 of loop 0 is impossible: the part is unrolled, or was merged with another one}}
func.func @gone() attributes {tileaa.kernel, tileas.plan = [#tileas.decision<loop 0 stages asked 3 by "k:7">]} {
  return
}

// -----

// expected-error @+1 {{k:7: slice = 4096 of kernel is impossible: no tile is sliced for being too large}}
func.func @whole() attributes {tileaa.kernel, tileas.plan = [#tileas.decision<kernel 0 slice asked 4096 by "k:7">]} {
  return
}
