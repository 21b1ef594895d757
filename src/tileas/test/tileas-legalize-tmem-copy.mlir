// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileas-legalize-tmem-copy --verify-each | FileCheck %s

#a = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0)} -> 64x64">
#acc = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
!buffer = !tileas.buffer<64x64xf16, #a>
!sums = tensor<64x64xf32, #acc>

// Zeros are not stored, and not added to.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: %[[T:.*]] = tileas.tmem_alloc : <64x64xf32, #[[MEMORY:.*]]>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[I]], %c0
// CHECK-NEXT: tileas.tmem_mma <tcgen05 m64n64k16> %{{.*}}, %{{.*}}, %[[T]] if %[[LATER]]
// CHECK: }
// CHECK-NEXT: tileas.tmem_wait %[[T]]
// CHECK-NEXT: tileas.tmem_load %[[T]]
// CHECK-NOT: tileas.barrier
// CHECK: tileas.tmem_dealloc %[[T]]
func.func @in_a_loop(%a: !buffer, %b: !buffer, %p: i64) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : !sums
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (!sums) {
    %d = tileas.mma <tcgen05 m64n64k16> %a, %b, %s : !buffer, !buffer, !sums
    scf.yield %d : !sums
  }
  %u = math.absf %r : !sums
  return
}

// A loop that may have no iteration; other things it carries stay.
// CHECK-LABEL: func.func @perhaps_empty
// CHECK: %[[EMPTY:.*]] = arith.cmpi sge, %c0{{.*}}, %arg2
// CHECK-NEXT: scf.if %[[EMPTY]] {
// CHECK-NEXT: tileas.tmem_store %cst
// CHECK-NEXT: tileas.barrier
// CHECK: %[[N:.*]] = scf.for {{.*}} iter_args(%[[C:.*]] = %c0{{.*}}) -> (index)
// CHECK: tileas.tmem_mma
// CHECK: scf.yield %{{.*}} : index
// CHECK: tileas.tmem_load
// CHECK: arith.addi %[[N]]
func.func @perhaps_empty(%a: !buffer, %b: !buffer, %n: index) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !sums
  %count, %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %c0, %s = %zero) -> (index, !sums) {
    %d = tileas.mma <tcgen05 m64n64k16> %a, %b, %s : !buffer, !buffer, !sums
    %next = arith.addi %c, %i : index
    scf.yield %next, %d : index, !sums
  }
  %u = math.absf %r : !sums
  %v = arith.addi %count, %c1 : index
  return
}

// What was there before is stored, for all warps; before the next time around all have loaded.
// CHECK-LABEL: func.func @begins_with_other_sums
// CHECK: scf.for
// CHECK: tileas.tmem_store %{{.*}}, %[[T:.*]] : tensor
// CHECK-NEXT: tileas.barrier
// CHECK: scf.for
// CHECK: tileas.tmem_mma {{.*}} if %true
// CHECK: tileas.tmem_wait
// CHECK-NEXT: tileas.tmem_load
// CHECK-NEXT: tileas.barrier
func.func @begins_with_other_sums(%a: !buffer, %b: !buffer, %x: !sums) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %j = %c0 to %c8 step %c1 {
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %x) -> (!sums) {
      %d = tileas.mma <tcgen05 m64n64k16> %a, %b, %s : !buffer, !buffer, !sums
      scf.yield %d : !sums
    }
    %u = math.absf %r : !sums
  }
  return
}

// CHECK-LABEL: func.func @alone
// CHECK: tileas.tmem_mma {{.*}} if %false
// CHECK-NEXT: tileas.tmem_load
func.func @alone(%a: !buffer, %b: !buffer) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant dense<0.0> : !sums
  %d = tileas.mma <tcgen05 m64n64k16> %a, %b, %zero : !buffer, !buffer, !sums
  %u = math.absf %d : !sums
  return
}

// Products by others are left alone.
// CHECK-LABEL: func.func @by_wgmma
// CHECK-NOT: tmem
// CHECK: tileas.mma <wgmma m64n64k16>
func.func @by_wgmma(%a: !buffer, %b: !buffer, %x: !sums) attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %d = tileas.mma <wgmma m64n64k16> %a, %b, %x : !buffer, !buffer, !sums
  return
}
