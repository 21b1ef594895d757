// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-check-allocas --verify-diagnostics --split-input-file

// Used up within an iteration, through a branch and tiles of addresses: right.
func.func @used_up(%n: index, %which: i1, %x: tensor<8xi64>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = tileaa.alloca 64 aligned 8
    %b = tileaa.alloca 64 aligned 8
    %c = scf.if %which -> i64 {
      scf.yield %a : i64
    } else {
      scf.yield %b : i64
    }
    %all = tileaa.broadcast %c : i64 -> tensor<8xi64>
    %t = tileaa.store_ptr %all, %x : tensor<8xi64>, tensor<8xi64>,
  }
  return
}

// -----

func.func @to_the_next(%n: index, %p: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %p) -> i64 {
    // expected-error @below {{found an alloca in a loop whose address outlives the iteration, expected no use of its memory after the iteration: move the alloca out of the loop}}
    %a = tileaa.alloca 4 aligned 4
    // expected-note @below {{the address leaves here}}
    scf.yield %a : i64
  }
  return
}

// -----

func.func @into_memory(%n: index, %p: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{found an alloca in a loop}}
    %a = tileaa.alloca 4 aligned 4
    // expected-note @below {{the address leaves here}}
    %t = tileaa.store_ptr %p, %a : i64, i64,
  }
  return
}

// -----

// Not in a loop: it may go where it likes.
func.func @no_loop(%p: i64) attributes {tileaa.kernel} {
  %a = tileaa.alloca 4 aligned 4
  %t = tileaa.store_ptr %p, %a : i64, i64,
  return
}
