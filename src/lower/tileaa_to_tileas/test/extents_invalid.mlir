// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_80},func.func(tileaa-to-tileas))' --split-input-file --verify-diagnostics

func.func @product(%x: tensor<16x16xf16>, %y: tensor<16x16xf16>) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // expected-error @+1 {{arith.constant has a result of type 'tensor<24x16xf32>', expected extents that are powers of two: use the next one, and padding}}
  %zero = arith.constant dense<0.0> : tensor<24x16xf32>
  return
}
