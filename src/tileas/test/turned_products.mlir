// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that lie across the order in which wgmma reads them: threads of the producer load the tile, exchange rows and
// columns in registers, and write it to the stage.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s --check-prefix=PLAN
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: tilewright compile %s --target=nvidia:sm_80 --emit=plan -o - | FileCheck %s --check-prefix=AMPERE

!bytes = !tileaa.view<[?, ?], i8, strides = [?, 1]>
!floats = !tileaa.view<[?, ?], f32, strides = [?, 1]>
module {
  // The right operand with N side by side, as of `a @ b` where both are row-major.
  // A thread loads 8 bytes of 16 rows, and writes 16 bytes of 8 columns.
  // CHECK-DAG: #[[TURNING:.*]] = #tileas.layout<"{register: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0), lane: (16,0) (32,0) (64,0) (0,8) (0,16), warp: (0,32) (0,64)} -> 128x128">
  // CHECK-LABEL: func.func @right
  // CHECK: tileas.agents warps = [8, 4], registers = [200, 104]
  // CHECK: tileas.mma <wgmma m64n128k32> %{{.*}}, %{{.*}}, %{{.*}} : !tileas.buffer<128x128xi8, #{{.*}}>, !tileas.buffer<128x128xi8
  // The tile of the first iteration is loaded before the loop, that of the next one before this one is written.
  // CHECK: }, {
  // CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (tensor<128x128xi8, #[[TURNING]]>)
  // CHECK: scf.for {{.*}} iter_args(%[[NOW:.*]] = %[[FIRST]])
  // CHECK: %[[NEXT:.*]] = scf.if
  // CHECK-NEXT: arith.index_cast
  // CHECK-NEXT: tileaa.load_view
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[NOW]]
  // CHECK: tileas.producer_acquire %[[RING:.*]] :
  // CHECK: tileas.tma_load %{{.*}} into %[[RING]][0]
  // CHECK: tileas.producer_write %[[NOW]] into %[[RING]][1]
  // CHECK: tileas.producer_commit %[[RING]]
  // CHECK: scf.yield %[[NEXT]]
  //
  // PLAN-LABEL: [right]
  // PLAN: producer_registers = 104  # its threads have addresses, or parts of tiles
  // PLAN: [right.load.1]
  // PLAN: way = "turned"  # threads of the producer turn the tile for a product
  // AMPERE-LABEL: [right]
  // AMPERE: atom = "mma_sync"
  // AMPERE-NOT: way = "turned"
  //
  // Words, not bytes, are passed on from one iteration to the next. The threads that wait for the stage have the fence.
  // PTX-LABEL: .entry right(
  // PTX-COUNT-16: ld.global.v2.b32
  // PTX-COUNT-8: st.shared.v4.b32
  // PTX-NEXT: mbarrier.arrive.shared
  // PTX-COUNT-16: ld.global.v2.b32
  // PTX: setmaxnreg.inc
  // PTX: mbarrier.try_wait
  // PTX: fence.proxy.async
  // PTX: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3
  func.func @right(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %k = %z to %nn step %c128 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %i = arith.index_cast %k : i32 to index
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !bytes -> tensor<128x128xi8>
      %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : !bytes -> tensor<128x128xi8>
      %s = tileaa.mma %ta, %tb, %acc {format = f8E4M3FN} : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, !floats
    return
  }

  // The left operand with M side by side, and integers. The tile has 64 KB, too many registers for two of them.
  // CHECK-LABEL: func.func @left
  // CHECK: }, {
  // CHECK: scf.for
  // CHECK: tileas.producer_acquire
  // CHECK: %[[TILE:.*]], %{{.*}} = tileaa.load_view
  // CHECK: tileas.producer_write %[[TILE]] into %{{.*}}[0]
  // PLAN-LABEL: [left]
  // PLAN: way = "turned"
  // PLAN: way = "tma"
  func.func @left(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0> : tensor<256x64xi32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : !tileaa.view<[?, ?], i32, strides = [?, 1]>
    %r = scf.for %i = %c0 to %d step %c128 iter_args(%acc = %zero) -> (tensor<256x64xi32>) {
      %ta, %t0 = tileaa.load_view %va[%i, %c0] after %t dims [1, 0] padding zero : !bytes -> tensor<256x128xi8>
      %tb, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : !bytes -> tensor<128x64xi8>
      %s = tileaa.mma %ta, %tb, %acc : tensor<256x128xi8>, tensor<128x64xi8>, tensor<256x64xi32>
      scf.yield %s : tensor<256x64xi32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<256x64xi32>, !tileaa.view<[?, ?], i32, strides = [?, 1]>
    return
  }

  // Two products with rings of their own. One is filled by the hardware alone: only the thread that starts its copies
  // waits until its stages are empty, as others might miss a phase and wait for one that comes after their own part.
  // PTX-LABEL: .entry behind(
  // PTX: setmaxnreg.dec
  // PTX: @%p{{[0-9]+}} bra $[[BEHIND:[A-Za-z0-9_]+]];
  // PTX: mbarrier.try_wait.parity
  // PTX: mbarrier.arrive.expect_tx
  // PTX: $[[BEHIND]]:
  func.func @behind(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %q, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] padding zero : !bytes -> tensor<128x128xi8>
    %r = scf.for %i = %c0 to %d step %c128 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %tk, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [1, 0] padding zero : !bytes -> tensor<128x128xi8>
      %s = tileaa.mma %q, %tk, %zero {format = f8E4M3FN} : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xf32>
      %p = tileaa.convert %s : tensor<128x128xf32> as f32 to tensor<128x128xi8> as f8E4M3FN
      %tv, %t2 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : !bytes -> tensor<128x128xi8>
      %o = tileaa.mma %p, %tv, %acc {format = f8E4M3FN} : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xf32>
      scf.yield %o : tensor<128x128xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, !floats
    return
  }
}
