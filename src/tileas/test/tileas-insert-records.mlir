// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --tileas-insert-records --verify-each --verify-diagnostics | FileCheck %s

#shared = #tileas.layout<"{offset: 1 2 4 8 16 32 64} -> 128">
#x = #tileas.layout<"{lane: 1 2 4 8 16, warp: 32 64} -> 128">
!ring = !tileas.pipeline<2 x [<128xf32, #shared>]>

// A record stands where an agent begins something else, not between operations that do the same, and not before scalars.
// Each warpgroup of the consumers has a track, and the one thread of the producer. Parameters go before tensor maps.
// CHECK-LABEL: func.func @agents(
// CHECK-SAME: %[[BASE:[a-z0-9]+]]: i64, %[[N:[a-z0-9]+]]: i32, %[[BUFFER:[a-z0-9]+]]: i64, %[[CAPACITY:[a-z0-9]+]]: i32, %{{.*}}: !tileas.tma_desc)
// CHECK-SAME: tileas.record_sites = [#tileas.record_site<"wait" at "{{.*}}insert-records.mlir" {{[0-9]+}}>, #tileas.record_site<"work" at {{[^>]*}}>, #tileas.record_site<"acquire" at {{[^>]*}}>, #tileas.record_site<"copy" at {{[^>]*}}>]
// CHECK-SAME: tileas.record_tracks = ["consumers 0", "consumers 1", "producer"]
// CHECK: tileas.agents
// CHECK-NEXT: tileas.begin_records into %[[BUFFER]], %[[CAPACITY]] by 0, 2 of 3
// CHECK-NEXT: scf.for %[[BLOCK:.*]] = %{{.*}} to
// CHECK-NEXT:   %[[MARK:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT:   %[[WORD:.*]] = arith.ori %[[BLOCK]], %[[MARK]] : i32
// CHECK-NEXT:   tileas.record %[[WORD]] into %[[BUFFER]], %[[CAPACITY]] by 0, 2 of 3
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     %[[WAIT:.*]] = arith.constant 0 : i32
// CHECK-NEXT:     tileas.record %[[WAIT]] into
// CHECK-NEXT:     tileas.consumer_wait
// CHECK-NEXT:     tileas.consumer_read
// CHECK-NEXT:     %[[WORK:.*]] = arith.constant 1 : i32
// CHECK-NEXT:     tileas.record %[[WORK]] into
// CHECK-NEXT:     tileas.read
// CHECK-NEXT:     arith.addf
// CHECK-NEXT:     tileas.consumer_release
// CHECK-NEXT:   }
// CHECK-NEXT:   arith.addi
// CHECK-NEXT: }
// CHECK-NEXT: tileas.end_records into %[[BUFFER]], %[[CAPACITY]] by 0, 2 of 3
// CHECK-NEXT: }, {
// CHECK-NEXT: tileas.begin_records into %[[BUFFER]], %[[CAPACITY]] by 2, 0 of 3
// CHECK: %[[ACQUIRE:.*]] = arith.constant 2 : i32
// CHECK-NEXT: tileas.record %[[ACQUIRE]] into %[[BUFFER]], %[[CAPACITY]] by 2, 0 of 3
// CHECK-NEXT: tileas.producer_acquire
// CHECK-NEXT: arith.constant 3 : i32
// CHECK-NEXT: tileas.record
// CHECK-NEXT: tileas.tma_load
// CHECK-NEXT: tileas.tma_load
// CHECK-NEXT: tileas.producer_commit
// CHECK: tileas.end_records into %[[BUFFER]], %[[CAPACITY]] by 2, 0 of 3
module attributes {tileas.target = #tileas.target<"sm_90a">} {
func.func @agents(%base: i64, %n: i32, %map: !tileas.tma_desc) attributes {tileaa.kernel, tileas.tma_descs = [#tileas.tma_desc<base = arg 0, shape = [128], strides = [1], box = [128], element = f32, swizzle = 16>], tileas.cta = #tileas.cta<warps = 8, blocks_per_sm = 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  %x, %y, %z = tileaa.block_id
  %ring = tileas.create_pipeline of 2 : <2 x [<128xf32, #shared>]>
  tileas.agents warps = [8, 4], registers = [0, 0] {
    scf.for %block = %x to %n step %c1 : i32 {
      scf.for %i = %c0 to %n step %c1 : i32 {
        tileas.consumer_wait %ring : !ring
        %a = tileas.consumer_read %ring[0] : !ring -> <128xf32, #shared>
        %t = tileas.read %a : <128xf32, #shared> -> tensor<128xf32, #x>
        %u = arith.addf %t, %t : tensor<128xf32, #x>
        tileas.consumer_release %ring : !ring
      }
      %more = arith.addi %block, %n : i32
    }
  }, {
    scf.for %block = %x to %n step %c1 : i32 {
      scf.for %i = %c0 to %n step %c1 : i32 {
        tileas.producer_acquire %ring : !ring
        tileas.tma_load %map[%i0] into %ring[0] split 0 by 1 : !ring
        tileas.tma_load %map[%i0] into %ring[0] split 0 by 1 : !ring
        tileas.producer_commit %ring : !ring
      }
    }
  }
  return
}
}

// -----

// All threads together are one agent; a kernel that is not persistent has no records of blocks. A function that is no
// kernel is left alone.
// CHECK-LABEL: func.func @threads(
// CHECK-SAME: tileas.record_sites = [#tileas.record_site<"barrier" at {{[^>]*}}>]
// CHECK-SAME: tileas.record_tracks = ["threads"]
// CHECK-NEXT: tileas.begin_records into %{{.*}}, %{{.*}} by 0, 1 of 1
// CHECK-NEXT: arith.constant 0 : i32
// CHECK-NEXT: tileas.record
// CHECK-NEXT: tileas.barrier
// CHECK-NEXT: tileas.barrier
// CHECK-NEXT: tileas.end_records
// CHECK-NEXT: return
module attributes {tileas.target = #tileas.target<"sm_90a">} {
func.func @threads() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  tileas.barrier
  tileas.barrier
  return
}
// CHECK-LABEL: func.func @helper()
// CHECK-NEXT: tileas.barrier
// CHECK-NEXT: return
func.func @helper() {
  tileas.barrier
  return
}
}

// -----

module attributes {tileas.target = #tileas.target<"sm_90a", abi = portable>} {
  // expected-error@+1 {{records need parameters that the launcher adds, which kernels of the launch ABI 'portable' do not have}}
  func.func @portable() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    return
  }
}

// -----

// expected-error@+1 {{of a module without tileas.target}}
func.func @of_no_target() attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
  return
}
