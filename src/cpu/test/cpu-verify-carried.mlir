// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-verify-carried --verify-diagnostics

func.func @carried(%n: index, %x: tensor<64xf32>) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op carries a tile 'tensor<64xf32>' as a value, expected a buffer}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<64xf32> {
    // expected-error @below {{'scf.yield' op carries a tile 'tensor<64xf32>' as a value, expected a buffer}}
    scf.yield %a : tensor<64xf32>
  }
  return
}
