// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with block scales by mma.sync, where the instruction has the formats and the block.
// RUN: tilewright compile %s --target=nvidia:sm_120 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_120 --emit=tileas -o - | FileCheck %s --check-prefix=TILEAS
// RUN: tilewright compile %s --target=nvidia:sm_100 --emit=ptx -o - | FileCheck %s --check-prefix=OTHERS --implicit-check-not=block_scale

// OTHERS: .entry eights

!bytes = !tileaa.view<[?, ?], i8, strides = [?, 1]>
!floats = !tileaa.view<[?, ?], f32, strides = [?, 1]>
module {
  // 32x16 for each of four warps: two instructions along M, two along N, two along K.
  // CHECK-LABEL: .entry eights(
  // CHECK-COUNT-8: mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {{.*}}, {0, 0}, {{.*}}, {0, 0};
  // CHECK-NOT: mma.sync
  // TILEAS-LABEL: func.func @eights
  // TILEAS: tileas.mma_scaled <mma_sync m16n8k32> {{.*}} as f8E4M3FN, f8E8M0FNU
  func.func @eights(%a: i64, %b: i64, %sa: i64, %sb: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %n = arith.constant 64 : index
    %two = arith.constant 2 : index
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %a, shape[%n, %n], strides[%n] : !bytes
    %vb = tileaa.make_view %b, shape[%n, %n], strides[%n] : !bytes
    %vsa = tileaa.make_view %sa, shape[%n, %two], strides[%two] : !bytes
    %vsb = tileaa.make_view %sb, shape[%two, %n], strides[%n] : !bytes
    %vc = tileaa.make_view %c, shape[%n, %n], strides[%n] : !floats
    %ta, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x64xi8>
    %tb, %t1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x32xi8>
    %tsa, %t2 = tileaa.load_view %vsa[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x2xi8>
    %tsb, %t3 = tileaa.load_view %vsb[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<2x32xi8>
    %d = tileaa.mma_scaled %ta, %tb, %zero scaled by %tsa, %tsb as f8E4M3FN, f8E8M0FNU : tensor<64x64xi8>, tensor<64x32xi8>, tensor<64x32xf32>, tensor<64x2xi8>, tensor<2x32xi8>
    %u = tileaa.store_view %d, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x32xf32>, !floats
    return
  }

  // Elements of 4 bits, four scales for each instruction.
  // CHECK-LABEL: .entry fours(
  // CHECK-COUNT-4: mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {{.*}}, {0, 0}, {{.*}}, {0, 0};
  // CHECK-NOT: mma.sync
  // TILEAS-LABEL: func.func @fours
  // TILEAS: tileas.mma_scaled <mma_sync m16n8k64> {{.*}} as f4E2M1FN, f8E4M3FN
  func.func @fours(%a: i64, %b: i64, %sa: i64, %sb: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %n = arith.constant 64 : index
    %four = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %a, shape[%n, %n], strides[%n] : !bytes
    %vb = tileaa.make_view %b, shape[%n, %n], strides[%n] : !bytes
    %vsa = tileaa.make_view %sa, shape[%n, %four], strides[%four] : !bytes
    %vsb = tileaa.make_view %sb, shape[%four, %n], strides[%n] : !bytes
    %vc = tileaa.make_view %c, shape[%n, %n], strides[%n] : !floats
    %ta, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x64xi8>
    %tb, %t1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x32xi8>
    %tsa, %t2 = tileaa.load_view %vsa[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x4xi8>
    %tsb, %t3 = tileaa.load_view %vsb[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<4x32xi8>
    %d = tileaa.mma_scaled %ta, %tb, %zero scaled by %tsa, %tsb as f4E2M1FN, f8E4M3FN : tensor<64x64xi8>, tensor<64x32xi8>, tensor<64x32xf32>, tensor<64x4xi8>, tensor<4x32xi8>
    %u = tileaa.store_view %d, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x32xf32>, !floats
    return
  }

  // Exponents for each 16 elements of 4 bits need PTX that LLVM 22 does not write.
  // CHECK-LABEL: .entry taken_apart(
  // CHECK-NOT: block_scale
  // TILEAS-LABEL: func.func @taken_apart
  // TILEAS: tileas.mma <mma_sync
  func.func @taken_apart(%a: i64, %b: i64, %sa: i64, %sb: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %n = arith.constant 64 : index
    %four = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<16x8xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %a, shape[%n, %n], strides[%n] : !bytes
    %vb = tileaa.make_view %b, shape[%n, %n], strides[%n] : !bytes
    %vsa = tileaa.make_view %sa, shape[%n, %four], strides[%four] : !bytes
    %vsb = tileaa.make_view %sb, shape[%four, %n], strides[%n] : !bytes
    %vc = tileaa.make_view %c, shape[%n, %n], strides[%n] : !floats
    %ta, %t0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<16x64xi8>
    %tb, %t1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<64x8xi8>
    %tsa, %t2 = tileaa.load_view %vsa[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<16x4xi8>
    %tsb, %t3 = tileaa.load_view %vsb[%c0, %c0] after %t dims [0, 1] : !bytes -> tensor<4x8xi8>
    %d = tileaa.mma_scaled %ta, %tb, %zero scaled by %tsa, %tsb as f4E2M1FN, f8E8M0FNU : tensor<16x64xi8>, tensor<64x8xi8>, tensor<16x8xf32>, tensor<16x4xi8>, tensor<4x8xi8>
    %u = tileaa.store_view %d, %vc[%c0, %c0] after %t dims [0, 1] : tensor<16x8xf32>, !floats
    return
  }
}
