// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that cannot be lowered is an error of the compiler's own: the operation, the rule and the line, each violation,
// and the module is kept for a report.
// RUN: rm -rf %t && mkdir %t
// RUN: env TILEWRIGHT_REPRODUCER_DIR=%t not tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o /dev/null 2>&1 | FileCheck %s
// CHECK: illegal_kernel.mlir:[[#@LINE+12]]:8: error: 'tileaa.reduce' op breaks the rule 'in-warp': combines elements of several warps
// CHECK: illegal_kernel.mlir:[[#@LINE+16]]:8: error: 'tileaa.permute' op breaks the rule 'in-thread': has a result whose layout needs elements of other threads
// CHECK: ; the module is in {{.*}}.mlir, to see this again: tilewright compile

#rows = #tileas.layout<"{register:, lane: (0,1) (0,2) (0,4) (0,8) (0,16), warp: (1,0) (2,0)} -> 4x32">
#lanes = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 0 0} -> 32">
func.func @sum(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = tileaa.make_token
  %v = tileaa.make_view %p, shape[], strides[] : <[4, 32], f32, strides = [32, 1]>
  %x, %u = tileaa.load_view %v[%c0, %c0] after %t dims [0, 1] : <[4, 32], f32, strides = [32, 1]> -> tensor<4x32xf32, #rows>
  %r = tileaa.reduce %x from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4x32xf32, #rows>, f32) -> tensor<32xf32, #lanes>
  %y = tileaa.permute %x by [1, 0] : tensor<4x32xf32, #rows> -> tensor<32x4xf32, #tileas.layout<"{register:, lane: (1,0) (2,0) (4,0) (8,0) (0,1), warp: (16,0) (0,2)} -> 32x4">>
  %w = tileaa.make_view %p, shape[], strides[] : <[32], f32, strides = [1]>
  %w2 = tileaa.make_view %p, shape[], strides[] : <[32, 4], f32, strides = [4, 1]>
  %s = tileaa.store_view %r, %w[%c0] after %u dims [0] : tensor<32xf32, #lanes>, <[32], f32, strides = [1]>
  %s2 = tileaa.store_view %y, %w2[%c0, %c0] after %u dims [0, 1] : tensor<32x4xf32, #tileas.layout<"{register:, lane: (1,0) (2,0) (4,0) (8,0) (0,1), warp: (16,0) (0,2)} -> 32x4">>, <[32, 4], f32, strides = [4, 1]>
  return
}
