// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=ADDS
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s --check-prefix=TILEAS

!bytes = !tileaa.view<[?, ?], i8, strides = [?, 1]>
!floats = !tileaa.view<[?, ?], f32, strides = [?, 1]>
module {
  // sm_90 adds up products of 8-bit floats with 14 bits: sums of 128 are added to the accumulator, by half of its columns.
  // CHECK-LABEL: .entry full(
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3
  // CHECK: wgmma.wait_group
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3
  // CHECK: wgmma.wait_group
  // ADDS-LABEL: .entry full(
  // ADDS-COUNT-128: add.rn.f32
  func.func @full(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c128 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !bytes -> tensor<128x128xi8>
      %tb, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : !bytes -> tensor<128x256xi8>
      %s = tileaa.mma %ta, %tb, %acc {format = f8E4M3FN} : tensor<128x128xi8>, tensor<128x256xi8>, tensor<128x256xf32>
      scf.yield %s : tensor<128x256xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x256xf32>, !floats
    return
  }

  // CHECK-LABEL: .entry fast(
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3
  // ADDS-LABEL: .entry fast(
  // ADDS-NOT: add.rn.f32
  // ADDS: .entry rounded(
  func.func @fast(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !bytes
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !bytes
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c128 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !bytes -> tensor<128x128xi8>
      %tb, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : !bytes -> tensor<128x256xi8>
      %s = tileaa.mma %ta, %tb, %acc {fastAcc, format = f8E4M3FN} : tensor<128x128xi8>, tensor<128x256xi8>, tensor<128x256xf32>
      scf.yield %s : tensor<128x256xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x256xf32>, !floats
    return
  }

  // Operands that are computed and rounded: the left one is computed where it is multiplied, the right one written with K as
  // its contiguous dimension, as wgmma wants it of four bytes.
  // TILEAS-LABEL: func.func @rounded
  // TILEAS: tileas.write %{{.*}}, %[[B:[0-9]+]] : tensor<32x128xf32, {{.*}}>, <32x128xf32
  // TILEAS: tileas.mma <wgmma m64n128k8> %{{.*}}, %[[B]], %{{.*}} : tensor<128x32xf32
  // CHECK-LABEL: .entry rounded(
  // CHECK: cvt.rn.tf32.f32
  // CHECK: fence.proxy.async.shared::cta
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {{[{].*[}]}}, {{[{]%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+[}]}}, %rd{{[0-9]+}}, p, 1, 1;
  func.func @rounded(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !floats
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !floats
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !floats -> tensor<128x32xf32>
      %tb, %t1 = tileaa.load_view %vb[%c0, %i] after %t dims [1, 0] padding zero : !floats -> tensor<32x128xf32>
      %da = arith.negf %ta : tensor<128x32xf32>
      %db = arith.negf %tb : tensor<32x128xf32>
      %ra = tileaa.convert %da : tensor<128x32xf32> as f32 to tensor<128x32xf32> as tf32
      %rb = tileaa.convert %db : tensor<32x128xf32> as f32 to tensor<32x128xf32> as tf32
      %s = tileaa.mma %ra, %rb, %acc {format = tf32} : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, !floats
    return
  }

  // Computed, of four bytes, with N as the contiguous dimension: the product is transposed, as a left operand may be in
  // any order in registers.
  // Its registers are written before the fence of their instruction.
  // CHECK-LABEL: .entry across(
  // CHECK: cvt.rn.tf32
  // CHECK: wgmma.fence.sync.aligned;
  // CHECK-NOT: cvt
  // CHECK: wgmma.mma_async.sync.aligned.m64n128k8
  // CHECK: wgmma.fence.sync.aligned;
  // CHECK-NOT: cvt
  // CHECK: wgmma.mma_async.sync.aligned.m64n128k8
  // TILEAS-LABEL: func.func @across
  // TILEAS: %[[B:.+]] = tileaa.convert %{{.*}} : tensor<128x32xf32, {{.*}}> as f32 to {{.*}} as tf32
  // TILEAS: tileas.mma <wgmma m64n128k8> %[[B]], %{{.*}} : tensor<128x32xf32, {{.*}}>, !tileas.buffer<32x128xf32
  func.func @across(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !floats
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !floats
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !floats
    %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %ta, %t0 = tileaa.load_view %va[%c0, %i] after %t dims [0, 1] padding zero : !floats -> tensor<128x32xf32>
      %tb, %t1 = tileaa.load_view %vb[%i, %c0] after %t dims [0, 1] padding zero : !floats -> tensor<32x128xf32>
      %ra = tileaa.convert %ta : tensor<128x32xf32> as f32 to tensor<128x32xf32> as tf32
      %db = arith.negf %tb : tensor<32x128xf32>
      %rb = tileaa.convert %db : tensor<32x128xf32> as f32 to tensor<32x128xf32> as tf32
      %s = tileaa.mma %ra, %rb, %acc {format = tf32} : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, !floats
    return
  }
}
