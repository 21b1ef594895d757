// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by tcgen05: kinds, shapes of instructions, who starts them and who waits.
// RUN: tilewright compile %s --target=nvidia:sm_100 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LOADS
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LOCAL --implicit-check-not=.local
// RUN: tilewright compile %s --target=nvidia:sm_100 --emit=tileas -o - | FileCheck %s --check-prefix=TILEAS
// Where launchers give no descriptions of arrays, the kernel makes them.
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %s --target=nvidia:sm_100 --emit=ptx -o - | FileCheck %s --check-prefix=PORTABLE
// Without tcgen05.i8, and where there is no tensor memory, mma.sync multiplies.
// RUN: tilewright compile %s --target=nvidia:sm_103 --emit=ptx -o - | FileCheck %s --check-prefix=NEWER
// RUN: tilewright compile %s --target=nvidia:sm_120 --emit=ptx -o - | FileCheck %s --check-prefix=CONSUMER --implicit-check-not=tcgen05

// LOCAL: .target sm_100a
// CONSUMER: mma.sync.aligned.m16n8k16

!halfs = !tileaa.view<[?, ?], f16, strides = [?, 1]>
!bytes = !tileaa.view<[?, ?], i8, strides = [?, 1]>
!floats = !tileaa.view<[?, ?], f32, strides = [?, 1]>
!ints = !tileaa.view<[?, ?], i32, strides = [?, 1]>
module {
  // The instruction descriptor: f32 sums (1 << 4), B is not along K (1 << 16), N = 256 (32 << 17), M = 128 (8 << 24).
  // CHECK-LABEL: .entry halfs(
  // CHECK: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 {{.*}}, [[COLUMNS:%r[0-9]+]];
  // CHECK: tcgen05.relinquish_alloc_permit
  // CHECK: mbarrier.init
  // CHECK: tcgen05.fence::before_thread_sync
  // CHECK-NEXT: bar.sync
  // CHECK-NEXT: tcgen05.fence::after_thread_sync
  // The first product of each tile does not add; four steps along K, and the stage is empty when they have ended.
  // CHECK: mbarrier.try_wait.parity
  // CHECK: mov.b32 [[DESCRIPTOR:%r[0-9]+]], 138477584;
  // CHECK: tcgen05.mma.cta_group::1.kind::f16{{.*}} {{.*}}, [[DESCRIPTOR]], [[FIRST:%p[0-9]+]];
  // CHECK: tcgen05.mma.cta_group::1.kind::f16{{.*}} {{.*}}, [[DESCRIPTOR]], [[LATER:%p[0-9]+]];
  // CHECK: tcgen05.mma.cta_group::1.kind::f16{{.*}}, [[LATER]];
  // CHECK: tcgen05.mma.cta_group::1.kind::f16{{.*}}, [[LATER]];
  // CHECK: tcgen05.commit.cta_group::1.mbarrier::arrive::one
  // All wait for the last, and load.
  // CHECK: tcgen05.commit.cta_group::1.mbarrier::arrive::one
  // CHECK: mbarrier.try_wait.parity
  // CHECK: tcgen05.fence::after_thread_sync
  // CHECK-COUNT-2: tcgen05.ld.sync.aligned.32x32b.x64.b32
  // CHECK: tcgen05.wait::ld.sync.aligned
  // CHECK: tcgen05.dealloc.cta_group::1.sync.aligned.b32

  // TILEAS-LABEL: func.func @halfs
  // TILEAS: tileas.create_pipeline of 1 byOne
  // TILEAS: %[[T:.*]] = tileas.tmem_alloc
  // TILEAS: tileas.consumer_wait
  // TILEAS: tileas.tmem_mma <tcgen05 m128n256k16> {{.*}} {running}
  // TILEAS-NEXT: tileas.consumer_release
  // TILEAS: tileas.tmem_wait %[[T]]

  // PORTABLE-LABEL: .entry halfs(
  // PORTABLE: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [{{.*}}], 6;
  // PORTABLE: tensormap.cp_fenceproxy
  // PORTABLE: cp.async.bulk.tensor.2d
  // PORTABLE: tcgen05.mma.cta_group::1.kind::f16
  // PORTABLE: tcgen05.commit
  func.func @halfs(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !halfs
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !halfs
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !halfs -> tensor<128x64xf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : !halfs -> tensor<64x256xf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
      scf.yield %s : tensor<128x256xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x256xf32>, !floats
    return
  }

  // 64 rows: 16 of each warp's 32, loaded as mma.sync holds them. 8-bit floats are added up in f32.
  // CHECK-LABEL: .entry eights(
  // CHECK: mov.b32 [[DESCRIPTOR:%r[0-9]+]], 68157456;
  // CHECK-COUNT-2: tcgen05.mma.cta_group::1.kind::f8f6f4{{.*}} [[DESCRIPTOR]],
  // LOADS-LABEL: .entry eights(
  // LOADS: tcgen05.ld.sync.aligned.16x256b.x8.b32
  func.func @eights(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !bytes -> tensor<64x64xi8>
      %tb, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : !bytes -> tensor<64x64xi8>
      %s = tileaa.mma %ta, %tb, %acc {format = f8E4M3FN} : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32>, !floats
    return
  }

  // Signed by unsigned: s32 sums (2 << 4), A s8 (1 << 7). 256 rows are two of 128, one beside the other.
  // CHECK-LABEL: .entry integers(
  // CHECK: tcgen05.st.sync.aligned.32x32b.x64.b32
  // CHECK: tcgen05.wait::st.sync.aligned
  // CHECK: mov.b32 [[DESCRIPTOR:%r[0-9]+]], 135266464;
  // CHECK-COUNT-2: tcgen05.mma.cta_group::1.kind::i8{{.*}} [[DESCRIPTOR]],
  // NEWER-LABEL: .entry integers(
  // NEWER: mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32
  func.func @integers(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant dense<1> : tensor<256x64xi32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !ints
    %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %one) -> (tensor<256x64xi32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !bytes -> tensor<256x32xi8>
      %tb, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : !bytes -> tensor<32x64xi8>
      %s = tileaa.mma %ta, %tb, %acc {unsignedRhs} : tensor<256x32xi8>, tensor<32x64xi8>, tensor<256x64xi32>
      scf.yield %s : tensor<256x64xi32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<256x64xi32>, !ints
    return
  }

  // Sums that the loop changes are in registers.
  // CHECK-LABEL: .entry others(
  // CHECK-NOT: tcgen05
  // CHECK: mma.sync.aligned.m16n8k16
  // CHECK-NOT: tcgen05
  // CHECK: ret;
  func.func @others(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %half = arith.constant dense<0.5> : tensor<64x64xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !halfs
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !halfs
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !halfs -> tensor<64x32xf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : !halfs -> tensor<32x64xf16>
      %less = arith.mulf %acc, %half : tensor<64x64xf32>
      %s = tileaa.mma %ta, %tb, %less : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32>, !floats
    return
  }
}
