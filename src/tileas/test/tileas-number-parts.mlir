// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, products, reductions, loads and stores of tiles are counted each for itself; scalars are not.
// RUN: tilewright-opt %s --tileas-number-parts --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: func.func @parts({{.*}}tileas.plan = []
// CHECK: tileaa.load_ptr %{{.*}} : i64, -> f32
// CHECK: scf.for
// CHECK: tileaa.load_ptr {{.*}}tileas.number = 0 : i64
// CHECK: tileaa.reduce
// CHECK: } {tileas.number = 0 : i64} : (tensor<64xf32>, f32) -> f32
// CHECK: scf.for
// CHECK: } {tileas.number = 1 : i64}
// CHECK: } {tileas.number = 0 : i64}
func.func @parts(%p: tensor<64xi64>, %n: i32, %q: i64) attributes {tileaa.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f = arith.constant 0.0 : f32
  %s, %u = tileaa.load_ptr %q : i64, -> f32
  scf.for %i = %zero to %n step %one : i32 {
    %x, %v = tileaa.load_ptr %p : tensor<64xi64>, -> tensor<64xf32>
    %r = tileaa.reduce %x from %f along 0 {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tileaa.yield %sum : f32
    } : (tensor<64xf32>, f32) -> f32
    scf.for %j = %zero to %n step %one : i32 {
    }
  }
  return
}

// -----

// expected-error @+1 {{k.plan.toml:3: a decision on loop 0, and the kernel has 0 of them, counted from 0}}
func.func @none() attributes {tileaa.kernel, tileas.plan = [#tileas.decision<loop 0 stages asked 3 by "k.plan.toml:3">]} {
  return
}

// -----

// The passes that slice tiles leave their decision to be recorded.
// CHECK: func.func @slices() attributes {tileaa.kernel, tileaa.slices = ["64x64xf32 by 32x64"], tileas.plan = [#tileas.decision<kernel 0 slice = 2048 because "registers do not hold whole tiles: 64x64xf32 by 32x64">]}
func.func @slices() attributes {tileaa.kernel, tileaa.slice_made = 2048 : i64, tileaa.slices = ["64x64xf32 by 32x64"]} {
  return
}
