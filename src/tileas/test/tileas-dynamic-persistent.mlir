// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90a --tileas-dynamic-persistent --verify-each | FileCheck %s
// RUN: tilewright-opt %s --tileas-attach-target='arch=sm_90a abi=portable' --tileas-dynamic-persistent --verify-each | FileCheck %s --check-prefix=WHOLE
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-dynamic-persistent --verify-each | FileCheck %s --check-prefix=OLDER

// OLDER-NOT: blocks_per_sm

// The launcher launches all blocks: the first take the work of the others, which go past the loop.
// WHOLE-LABEL: func.func @uniform(%{{.*}}: i32) attributes {{{.*}}first_blocks
// WHOLE-NOT: blocks_per_sm
// WHOLE: %[[BX:.*]], %[[BY:.*]], %[[BZ:.*]] = tileaa.block_id
// WHOLE: %[[X:.*]], %[[Y:.*]], %[[Z:.*]] = tileaa.num_blocks
// WHOLE: %[[PLANE:.*]] = arith.muli %[[X]], %[[Y]]
// WHOLE: %[[ALL:.*]] = arith.muli %[[PLANE]], %[[Z]]
// WHOLE: %[[ROWS:.*]] = arith.muli %[[X]], %[[BY]]
// WHOLE: %[[PLANES:.*]] = arith.muli %[[PLANE]], %[[BZ]]
// WHOLE: %[[PART:.*]] = arith.addi %[[BX]], %[[ROWS]]
// WHOLE: %[[NUMBER:.*]] = arith.addi %[[PART]], %[[PLANES]]
// WHOLE: %[[STEP:.*]] = tileas.multiprocessors
// WHOLE: %[[TAKES:.*]] = arith.cmpi ult, %[[NUMBER]], %[[STEP]]
// WHOLE: %[[FIRST:.*]] = arith.select %[[TAKES]], %[[NUMBER]], %[[ALL]]
// WHOLE: scf.for %{{.*}} = %[[FIRST]] to %[[ALL]] step %[[STEP]]
// WHOLE-LABEL: func.func @triangular
// WHOLE-NOT: first_blocks
// WHOLE-LABEL: func.func @grouped

#a = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,8) (2,16) (4,32) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0)} -> 64x64">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
!tile = !tileas.buffer<64x64xbf16, #a>
module {
  // CHECK-LABEL: func.func @uniform
  // CHECK-SAME: %[[N:.*]]: i32, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32) attributes {{{.*}}blocks_per_sm = 1
  // CHECK: %[[FIRST:.*]], %{{.*}}, %{{.*}} = tileaa.block_id
  // CHECK: %[[STEP:.*]], %{{.*}}, %{{.*}} = tileaa.num_blocks
  // CHECK: %[[PLANE:.*]] = arith.muli %[[X]], %[[Y]]
  // CHECK: %[[ALL:.*]] = arith.muli %[[PLANE]], %[[Z]]
  // CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]]
  // CHECK:   %[[IN:.*]] = arith.remui %[[I]], %[[PLANE]]
  // CHECK:   %[[BX:.*]] = arith.remui %[[I]], %[[X]]
  // CHECK:   %[[BY:.*]] = arith.divui %[[IN]], %[[X]]
  // CHECK:   %[[BZ:.*]] = arith.divui %[[I]], %[[PLANE]]
  // CHECK-NOT: tileaa.block_id
  // CHECK:   scf.for
  // CHECK:     tileas.mma
  // CHECK:   arith.addi %[[BX]], %[[BY]]
  // CHECK:   arith.addi %[[BZ]], %[[Y]]
  // CHECK: return
  func.func @uniform(%n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %x, %y, %z = tileaa.block_id
    %gx, %gy, %gz = tileaa.num_blocks
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %a = tileas.alloc : !tile
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tileas.mma <wgmma m64n64k16> %a, %a, %acc : !tile, !tile, tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %s = arith.addi %x, %y : i32
    %t = arith.addi %z, %gy : i32
    return
  }

  // Blocks of different length.
  // CHECK-LABEL: func.func @triangular
  // CHECK-NOT: blocks_per_sm
  func.func @triangular() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %x, %y, %z = tileaa.block_id
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %end = arith.addi %x, %c1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %a = tileas.alloc : !tile
    %r = scf.for %k = %c0 to %end step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tileas.mma <wgmma m64n64k16> %a, %a, %acc : !tile, !tile, tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }

  // No loop: nothing to load ahead.
  // CHECK-LABEL: func.func @once
  // CHECK-NOT: blocks_per_sm
  func.func @once() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %a = tileas.alloc : !tile
    %d = tileas.mma <wgmma m64n64k16> %a, %a, %zero : !tile, !tile, tensor<64x64xf32, #acc>
    return
  }

  // Blocks that may wait for each other.
  // CHECK-LABEL: func.func @waits
  // CHECK-NOT: blocks_per_sm
  func.func @waits(%n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %a = tileas.alloc : !tile
    %t = tileaa.make_token
    %f = tileaa.fence after %t
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tileas.mma <wgmma m64n64k16> %a, %a, %acc : !tile, !tile, tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }

  // Groups of 4 tile blocks along x, as a plan file asks; the last group has those that are left.
  // CHECK-LABEL: func.func @grouped
  // CHECK-SAME: %[[N:.*]]: i32, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32) attributes
  // CHECK-SAME: #tileas.decision<kernel 0 tile_order = 4
  // CHECK: scf.for %[[I:.*]] =
  // CHECK:   %[[IN:.*]] = arith.remui %[[I]]
  // CHECK:   %[[MOST:.*]] = arith.constant 4 : i32
  // CHECK:   %[[SIZE:.*]] = arith.muli %[[MOST]], %[[Y]]
  // CHECK:   %[[GROUP:.*]] = arith.divui %[[IN]], %[[SIZE]]
  // CHECK:   %[[INGROUP:.*]] = arith.remui %[[IN]], %[[SIZE]]
  // CHECK:   %[[BEGIN:.*]] = arith.muli %[[GROUP]], %[[MOST]]
  // CHECK:   %[[LEFT:.*]] = arith.subi %[[X]], %[[BEGIN]]
  // CHECK:   %[[WIDTH:.*]] = arith.minui %[[MOST]], %[[LEFT]]
  // CHECK:   %[[OFFSET:.*]] = arith.remui %[[INGROUP]], %[[WIDTH]]
  // CHECK:   %[[BX:.*]] = arith.addi %[[BEGIN]], %[[OFFSET]]
  // CHECK:   %[[BY:.*]] = arith.divui %[[INGROUP]], %[[WIDTH]]
  // CHECK:   arith.addi %[[BX]], %[[BY]]
  func.func @grouped(%n: i32) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>,
      tileas.plan = [#tileas.decision<kernel 0 tile_order asked 4 by "mine.toml:2">]} {
    %x, %y, %z = tileaa.block_id
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %a = tileas.alloc : !tile
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tileas.mma <wgmma m64n64k16> %a, %a, %acc : !tile, !tile, tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %s = arith.addi %x, %y : i32
    return
  }
}
