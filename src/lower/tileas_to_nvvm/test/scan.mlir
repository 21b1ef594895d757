// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (0,8) (1,0) (2,0), warp: (4,0) (8,0)} -> 16x16">
module {
  // Two registers and three bits of the lane along the row: the totals in register 1 are scanned by three shuffles.
  // CHECK-LABEL: func.func @rows
  // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: nvvm.shfl.sync idx
  // CHECK: arith.addf
  // CHECK: nvvm.shfl.sync idx
  // CHECK: arith.addf
  // CHECK: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  // At last each register takes the identity in, which may not be one: minf of NaN is its identity.
  // CHECK: arith.addf %{{.*}}, %[[ZERO]]
  // CHECK: arith.addf %{{.*}}, %[[ZERO]]
  // CHECK-NOT: arith.addf
  // CHECK: llvm.store
  func.func @rows(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %zero = arith.constant 0.0 : f32
    %b = tileaa.broadcast %p : i64 -> tensor<16x16xi64, #x>
    %v, %t = tileaa.load_ptr %b : tensor<16x16xi64, #x>, -> tensor<16x16xf32, #x>
    %s = tileaa.scan %v from %zero along 1 {
    ^bb0(%acc: f32, %e: f32):
      %sum = arith.addf %acc, %e : f32
      tileaa.yield %sum : f32
    } : (tensor<16x16xf32, #x>, f32) -> tensor<16x16xf32, #x>
    %t1 = tileaa.store_ptr %b, %s after %t : tensor<16x16xi64, #x>, tensor<16x16xf32, #x>,
    return
  }
}
