// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values become registers by their types, through control flow too. An operation that breaks the pass's precondition
// ends it with one error, which has the condition.
// RUN: tilewright-opt %s --split-input-file --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --verify-diagnostics | FileCheck %s

#x = #tileas.layout<"{register: 32, lane: 1 2 4 8 16} -> 64">
#b = #tileas.layout<"{offset: 1 2 4 8 16 32} -> 64">
module {
  // A tile of two registers for each thread, a token and a buffer: four results become three.
  // CHECK-LABEL: @branch
  // CHECK: scf.if %{{.*}} -> (f32, f32, i32) {
  // CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, i32
  func.func @branch(%c: i1, %p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1, shared_bytes = 512>} {
    %0 = tileaa.make_token
    %zero = arith.constant 0 : index
    %v = tileaa.make_view %p, shape[], strides[] : <[64], f32, strides = [1]>
    %x, %t = tileaa.load_view %v[%zero] after %0 dims [0] : <[64], f32, strides = [1]> -> tensor<64xf32, #x>
    %b0 = tileas.alloc at 0 : !tileas.buffer<64xf32, #b>
    %b1 = tileas.alloc at 256 : !tileas.buffer<64xf32, #b>
    %y, %s, %b = scf.if %c -> (tensor<64xf32, #x>, !tileaa.token, !tileas.buffer<64xf32, #b>) {
      %d = arith.addf %x, %x : tensor<64xf32, #x>
      scf.yield %d, %0, %b0 : tensor<64xf32, #x>, !tileaa.token, !tileas.buffer<64xf32, #b>
    } else {
      scf.yield %x, %t, %b1 : tensor<64xf32, #x>, !tileaa.token, !tileas.buffer<64xf32, #b>
    }
    tileas.write %y, %b : tensor<64xf32, #x>, !tileas.buffer<64xf32, #b>
    tileas.barrier
    %z = tileas.read %b : !tileas.buffer<64xf32, #b> -> tensor<64xf32, #x>
    %u = tileaa.store_view %z, %v[%zero] after %s dims [0] : tensor<64xf32, #x>, <[64], f32, strides = [1]>
    return
  }

  // The view that a loop carries is its base and its dynamic extent.
  // CHECK-LABEL: @loop
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, index)
  func.func @loop(%p: i64, %q: i64, %n: index, %s: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = tileaa.make_view %p, shape[%n], strides[] : <[?], f32, strides = [1]>
    %w = tileaa.make_view %q, shape[%n], strides[] : <[?], f32, strides = [1]>
    %last = scf.for %i = %zero to %n step %one iter_args(%now = %v) -> (!tileaa.view<[?], f32, strides = [1]>) {
      %x, %t = tileaa.load_view %now[%i] after %0 dims [0] : <[?], f32, strides = [1]> -> tensor<64xf32, #x>
      %u = tileaa.store_view %x, %w[%i] after %t dims [0] : tensor<64xf32, #x>, <[?], f32, strides = [1]>
      scf.yield %w : !tileaa.view<[?], f32, strides = [1]>
    }
    return
  }

  // An operation with two results has two for each register.
  // CHECK-LABEL: @extended
  // CHECK-COUNT-2: arith.mului_extended {{.*}} : i32
  // CHECK-NOT: arith.mului_extended
  func.func @extended(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %zero = arith.constant 0 : index
    %v = tileaa.make_view %p, shape[], strides[] : <[64], i32, strides = [1]>
    %x, %t = tileaa.load_view %v[%zero] after %0 dims [0] : <[64], i32, strides = [1]> -> tensor<64xi32, #x>
    %low, %high = arith.mului_extended %x, %x : tensor<64xi32, #x>
    %y = arith.addi %low, %high : tensor<64xi32, #x>
    %u = tileaa.store_view %y, %v[%zero] after %t dims [0] : tensor<64xi32, #x>, <[64], i32, strides = [1]>
    return
  }

  // A choice between views is one between their bases and one between their extents; that between tokens disappears.
  // CHECK-LABEL: @select
  // CHECK: arith.select %arg0, %arg1, %arg2 : i64
  // CHECK: arith.select %arg0, %arg3, %arg4 : index
  // CHECK-NOT: arith.select {{.*}}token
  func.func @select(%c: i1, %p: i64, %q: i64, %n: index, %m: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %1 = tileaa.make_token
    %zero = arith.constant 0 : index
    %v = tileaa.make_view %p, shape[%n], strides[] : <[?], f32, strides = [1]>
    %w = tileaa.make_view %q, shape[%m], strides[] : <[?], f32, strides = [1]>
    %t = arith.select %c, %0, %1 : !tileaa.token
    %s = arith.select %c, %v, %w : !tileaa.view<[?], f32, strides = [1]>
    %x, %u = tileaa.load_view %s[%zero] after %t dims [0] : <[?], f32, strides = [1]> -> tensor<64xf32, #x>
    %r = tileaa.store_view %x, %v[%zero] after %u dims [0] : tensor<64xf32, #x>, <[?], f32, strides = [1]>
    return
  }
}

// -----

#b = #tileas.layout<"{offset: 1 2 4 8 16 32} -> 64">
module {
  func.func @no_place() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    // expected-error @+1 {{internal error: failed to legalize operation 'tileas.alloc': it has no place in shared memory}}
    %b = tileas.alloc : !tileas.buffer<64xf32, #b>
    return
  }
}
