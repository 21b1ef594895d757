// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products from source to PTX, by the instruction that each architecture has for their types.
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: tilewright compile %s --target=sm_89 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: tilewright compile %s --target=sm_120 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,NEW,WIDE
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=LOCAL
// LOCAL-NOT: .local

// CHECK-LABEL: .entry bf16(
// CHECK: ldmatrix.sync.aligned.m8n8.x4
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

// CHECK-LABEL: .entry tf32(
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

// CHECK-LABEL: .entry bytes(
// CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32

// What sm_80 has no products of is converted to what holds it.
// CHECK-LABEL: .entry f8(
// OLD: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// NEW: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32

// CHECK-LABEL: .entry f64(
// OLD: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// WIDE: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64

// CHECK-LABEL: .entry f32(
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
cuda_tile.module @m {
entry @bf16(%pa: tile<ptr<bf16>>, %pb: tile<ptr<bf16>>, %pc: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  %va = make_tensor_view %pa, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xbf16, strides=[32,1]>
  %qa = make_partition_view %va : partition_view<tile=(64x32), tensor_view<64x32xbf16, strides=[32,1]>>
  %a, %ta = load_view_tko weak %qa[%z, %z] : partition_view<tile=(64x32), tensor_view<64x32xbf16, strides=[32,1]>>, tile<i32> -> tile<64x32xbf16>, token
  %vb = make_tensor_view %pb, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xbf16, strides=[64,1]>
  %qb = make_partition_view %vb : partition_view<tile=(32x64), tensor_view<32x64xbf16, strides=[64,1]>>
  %b, %tb = load_view_tko weak %qb[%z, %z] : partition_view<tile=(32x64), tensor_view<32x64xbf16, strides=[64,1]>>, tile<i32> -> tile<32x64xbf16>, token
  %vc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %qc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
  %c, %tc = load_view_tko weak %qc[%z, %z] : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
  %r = mmaf %a, %b, %c  : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
  %to = store_view_tko weak %r, %qc[%z, %z] token=%tc : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
entry @tf32(%pa: tile<ptr<tf32>>, %pb: tile<ptr<tf32>>, %pc: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  %va = make_tensor_view %pa, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xtf32, strides=[16,1]>
  %qa = make_partition_view %va : partition_view<tile=(32x16), tensor_view<32x16xtf32, strides=[16,1]>>
  %a, %ta = load_view_tko weak %qa[%z, %z] : partition_view<tile=(32x16), tensor_view<32x16xtf32, strides=[16,1]>>, tile<i32> -> tile<32x16xtf32>, token
  %vb = make_tensor_view %pb, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xtf32, strides=[32,1]>
  %qb = make_partition_view %vb : partition_view<tile=(16x32), tensor_view<16x32xtf32, strides=[32,1]>>
  %b, %tb = load_view_tko weak %qb[%z, %z] : partition_view<tile=(16x32), tensor_view<16x32xtf32, strides=[32,1]>>, tile<i32> -> tile<16x32xtf32>, token
  %vc = make_tensor_view %pc, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]>
  %qc = make_partition_view %vc : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>
  %c, %tc = load_view_tko weak %qc[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> tile<32x32xf32>, token
  %r = mmaf %a, %b, %c  : tile<32x16xtf32>, tile<16x32xtf32>, tile<32x32xf32>
  %to = store_view_tko weak %r, %qc[%z, %z] token=%tc : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token
  return
}
entry @bytes(%pa: tile<ptr<i8>>, %pb: tile<ptr<i8>>, %pc: tile<ptr<i32>>) {
  %z = constant <i32: 0> : tile<i32>
  %va = make_tensor_view %pa, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi8, strides=[32,1]>
  %qa = make_partition_view %va : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>
  %a, %ta = load_view_tko weak %qa[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>, tile<i32> -> tile<32x32xi8>, token
  %vb = make_tensor_view %pb, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi8, strides=[32,1]>
  %qb = make_partition_view %vb : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>
  %b, %tb = load_view_tko weak %qb[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>, tile<i32> -> tile<32x32xi8>, token
  %vc = make_tensor_view %pc, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]>
  %qc = make_partition_view %vc : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>
  %c, %tc = load_view_tko weak %qc[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> tile<32x32xi32>, token
  %r = mmai %a, %b, %c signed unsigned : tile<32x32xi8>, tile<32x32xi8>, tile<32x32xi32>
  %to = store_view_tko weak %r, %qc[%z, %z] token=%tc : tile<32x32xi32>, partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> token
  return
}
entry @f8(%pa: tile<ptr<f8E4M3FN>>, %pb: tile<ptr<f8E4M3FN>>, %pc: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  %va = make_tensor_view %pa, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf8E4M3FN, strides=[32,1]>
  %qa = make_partition_view %va : partition_view<tile=(32x32), tensor_view<32x32xf8E4M3FN, strides=[32,1]>>
  %a, %ta = load_view_tko weak %qa[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xf8E4M3FN, strides=[32,1]>>, tile<i32> -> tile<32x32xf8E4M3FN>, token
  %vb = make_tensor_view %pb, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf8E4M3FN, strides=[32,1]>
  %qb = make_partition_view %vb : partition_view<tile=(32x32), tensor_view<32x32xf8E4M3FN, strides=[32,1]>>
  %b, %tb = load_view_tko weak %qb[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xf8E4M3FN, strides=[32,1]>>, tile<i32> -> tile<32x32xf8E4M3FN>, token
  %vc = make_tensor_view %pc, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]>
  %qc = make_partition_view %vc : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>
  %c, %tc = load_view_tko weak %qc[%z, %z] : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> tile<32x32xf32>, token
  %r = mmaf %a, %b, %c  : tile<32x32xf8E4M3FN>, tile<32x32xf8E4M3FN>, tile<32x32xf32>
  %to = store_view_tko weak %r, %qc[%z, %z] token=%tc : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token
  return
}
entry @f64(%pa: tile<ptr<f64>>, %pb: tile<ptr<f64>>, %pc: tile<ptr<f64>>) {
  %z = constant <i32: 0> : tile<i32>
  %va = make_tensor_view %pa, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf64, strides=[8,1]>
  %qa = make_partition_view %va : partition_view<tile=(16x8), tensor_view<16x8xf64, strides=[8,1]>>
  %a, %ta = load_view_tko weak %qa[%z, %z] : partition_view<tile=(16x8), tensor_view<16x8xf64, strides=[8,1]>>, tile<i32> -> tile<16x8xf64>, token
  %vb = make_tensor_view %pb, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xf64, strides=[16,1]>
  %qb = make_partition_view %vb : partition_view<tile=(8x16), tensor_view<8x16xf64, strides=[16,1]>>
  %b, %tb = load_view_tko weak %qb[%z, %z] : partition_view<tile=(8x16), tensor_view<8x16xf64, strides=[16,1]>>, tile<i32> -> tile<8x16xf64>, token
  %vc = make_tensor_view %pc, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf64, strides=[16,1]>
  %qc = make_partition_view %vc : partition_view<tile=(16x16), tensor_view<16x16xf64, strides=[16,1]>>
  %c, %tc = load_view_tko weak %qc[%z, %z] : partition_view<tile=(16x16), tensor_view<16x16xf64, strides=[16,1]>>, tile<i32> -> tile<16x16xf64>, token
  %r = mmaf %a, %b, %c  : tile<16x8xf64>, tile<8x16xf64>, tile<16x16xf64>
  %to = store_view_tko weak %r, %qc[%z, %z] token=%tc : tile<16x16xf64>, partition_view<tile=(16x16), tensor_view<16x16xf64, strides=[16,1]>>, tile<i32> -> token
  return
}
entry @f32(%pa: tile<ptr<f32>>, %pb: tile<ptr<f32>>, %pc: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  %va = make_tensor_view %pa, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
  %qa = make_partition_view %va : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
  %a, %ta = load_view_tko weak %qa[%z, %z] : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> tile<16x16xf32>, token
  %vb = make_tensor_view %pb, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xf32, strides=[32,1]>
  %qb = make_partition_view %vb : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>
  %b, %tb = load_view_tko weak %qb[%z, %z] : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> tile<16x32xf32>, token
  %vc = make_tensor_view %pc, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xf32, strides=[32,1]>
  %qc = make_partition_view %vc : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>
  %c, %tc = load_view_tko weak %qc[%z, %z] : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> tile<16x32xf32>, token
  %r = mmaf %a, %b, %c  : tile<16x16xf32>, tile<16x32xf32>, tile<16x32xf32>
  %to = store_view_tko weak %r, %qc[%z, %z] token=%tc : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> token
  return
}
}
