// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-widen-sums))' --verify-each | FileCheck %s
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(func.func(tileaa-widen-sums{scans-only}))' --verify-each \
// RUN:   | FileCheck %s --check-prefix=SCANS

// SCANS-LABEL: func.func @sum(
// SCANS: tileaa.reduce
// SCANS: } : (tensor<8x64xbf16>, bf16) -> tensor<8xbf16>
// SCANS-LABEL: func.func @running_product(
// SCANS: tileaa.scan
// SCANS:   arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-LABEL: func.func @sum(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<8x64xbf16> to tensor<8x64xf32>
// CHECK: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[SUM:.*]] = tileaa.reduce %[[WIDE]] from %[[ZERO]] along 1 {
// CHECK:   arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: } : (tensor<8x64xf32>, f32) -> tensor<8xf32>
// CHECK: arith.truncf %[[SUM]] : tensor<8xf32> to tensor<8xbf16>
func.func @sum(%x: tensor<8x64xbf16>) -> tensor<8xbf16> {
  %zero = arith.constant -0.0 : bf16
  %r = tileaa.reduce %x from %zero along 1 {
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.addf %a, %b : bf16
    tileaa.yield %s : bf16
  } : (tensor<8x64xbf16>, bf16) -> tensor<8xbf16>
  return %r : tensor<8xbf16>
}

// Products, and each number of a scan.
// CHECK-LABEL: func.func @running_product(
// CHECK: tileaa.scan %{{.*}} from %{{.*}} along 0 reverse
// CHECK:   arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : tensor<64xf32> to tensor<64xf16>
func.func @running_product(%x: tensor<64xf16>) -> tensor<64xf16> {
  %one = arith.constant 1.0 : f16
  %r = tileaa.scan %x from %one along 0 reverse {
  ^bb0(%a: f16, %b: f16):
    %s = arith.mulf %a, %b : f16
    tileaa.yield %s : f16
  } : (tensor<64xf16>, f16) -> tensor<64xf16>
  return %r : tensor<64xf16>
}

// Maxima lose nothing, and f32 is wide enough.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @others(%x: tensor<64xf16>, %y: tensor<64xf32>) -> (f16, f32) {
  %least = arith.constant 0xFC00 : f16
  %zero = arith.constant 0.0 : f32
  %r = tileaa.reduce %x from %least along 0 {
  ^bb0(%a: f16, %b: f16):
    %s = arith.maxnumf %a, %b : f16
    tileaa.yield %s : f16
  } : (tensor<64xf16>, f16) -> f16
  %t = tileaa.reduce %y from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tileaa.yield %s : f32
  } : (tensor<64xf32>, f32) -> f32
  return %r, %t : f16, f32
}

// Functions of several operations are rounded where they say.
// CHECK-LABEL: func.func @several(
// CHECK-NOT: arith.extf
// CHECK: return
func.func @several(%x: tensor<64xf16>) -> f16 {
  %zero = arith.constant 0.0 : f16
  %r = tileaa.reduce %x from %zero along 0 {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    %t = arith.mulf %s, %s : f16
    tileaa.yield %t : f16
  } : (tensor<64xf16>, f16) -> f16
  return %r : f16
}

// Parts of a scan stay parts.
// CHECK-LABEL: func.func @parts(
// CHECK: tileaa.scan %{{.*}} from %{{.*}} along 0 partial
// CHECK: tileaa.scan %{{.*}} from %{{.*}} along 0 reverse exclusive
#registers = #tileas.layout<"{register: 1 2 4, lane: 0 0 0 0 0, warp:} -> 8">
func.func @parts(%x: tensor<8xf16, #registers>) -> (tensor<8xf16, #registers>, tensor<8xf16, #registers>) {
  %zero = arith.constant -0.0 : f16
  %a = tileaa.scan %x from %zero along 0 partial {
  ^bb0(%b: f16, %c: f16):
    %s = arith.addf %b, %c : f16
    tileaa.yield %s : f16
  } : (tensor<8xf16, #registers>, f16) -> tensor<8xf16, #registers>
  %d = tileaa.scan %x from %zero along 0 reverse exclusive {
  ^bb0(%b: f16, %c: f16):
    %s = arith.addf %b, %c : f16
    tileaa.yield %s : f16
  } : (tensor<8xf16, #registers>, f16) -> tensor<8xf16, #registers>
  return %a, %d : tensor<8xf16, #registers>, tensor<8xf16, #registers>
}
