// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by mma.sync: operands by ldmatrix where they lie in buffers, and stmatrix where the architecture has it.
// RUN: tilewright-opt %s --split-input-file --tileas-attach-target=arch=sm_90 --tileas-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --tileas-attach-target=arch=sm_89 --tileas-to-nvvm --canonicalize --cse | FileCheck %s --check-prefix=OLD

// A 64x64 product in four warps, each of 32x32: 2 x 4 instructions for each of two steps. The swizzled operands come
// four matrices at once; the right one is transposed on its way.
// CHECK-COUNT-4: nvvm.stmatrix {{.*}}#nvvm.mma_layout<row>
// CHECK: nvvm.stmatrix {{.*}}#nvvm.mma_layout<col>
// CHECK: nvvm.barrier
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK: llvm.inline_asm asm_dialect = att "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
// CHECK-COUNT-15: mma.sync.aligned.m16n8k16
// CHECK-NOT: mma.sync
// CHECK-NOT: ldmatrix
// CHECK: return
// OLD-NOT: stmatrix
// OLD: nvvm.ldmatrix
#a = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (32,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (0,0)} -> 64x32">
#b = #tileas.layout<"{register: (1,0) (8,0) (16,0) (0,16) (0,32), lane: (2,0) (4,0) (0,1) (0,2) (0,4), warp: (0,0) (0,8)} -> 32x64">
#c = #tileas.layout<"{register: (0,1) (8,0) (0,16) (0,32) (32,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (0,8)} -> 64x64">
#sa = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,8) (2,16) (4,0) (8,0) (16,0) (32,0)} -> 64x32">
#sb = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0)} -> 32x64">
module {
  func.func @k(%pa: i64, %pb: i64, %pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %xa = tileaa.assume_div_by %pa, 16 : i64
    %xb = tileaa.assume_div_by %pb, 16 : i64
    %xc = tileaa.assume_div_by %pc, 16 : i64
    %va = tileaa.make_view %xa, shape[], strides[] : <[64, 32], bf16, strides = [32, 1]>
    %vb = tileaa.make_view %xb, shape[], strides[] : <[32, 64], bf16, strides = [64, 1]>
    %vc = tileaa.make_view %xc, shape[], strides[] : <[64, 64], f32, strides = [64, 1]>
    %a, %ta = tileaa.load_view %va[%c0, %c0] after %0 dims [0, 1] : <[64, 32], bf16, strides = [32, 1]> -> tensor<64x32xbf16, #a>
    %b, %tb = tileaa.load_view %vb[%c0, %c0] after %0 dims [0, 1] : <[32, 64], bf16, strides = [64, 1]> -> tensor<32x64xbf16, #b>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[64, 64], f32, strides = [64, 1]> -> tensor<64x64xf32, #c>
    %sa = tileas.alloc at 0 : !tileas.buffer<64x32xbf16, #sa>
    %sb = tileas.alloc at 4096 : !tileas.buffer<32x64xbf16, #sb>
    tileas.write %a, %sa : tensor<64x32xbf16, #a>, !tileas.buffer<64x32xbf16, #sa>
    tileas.write %b, %sb : tensor<32x64xbf16, #b>, !tileas.buffer<32x64xbf16, #sb>
    tileas.barrier
    %d = tileas.mma <mma_sync m16n8k16> %sa, %sb, %c  : !tileas.buffer<64x32xbf16, #sa>, !tileas.buffer<32x64xbf16, #sb>, tensor<64x64xf32, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<64x64xf32, #c>, <[64, 64], f32, strides = [64, 1]>
    return
  }
}

// -----

// Bytes, signed by unsigned.
// CHECK: m16n8k32.row.col.s32.s8.u8.s32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r"
// CHECK-NOT: mma.sync
// CHECK: return
#a = #tileas.layout<"{register: (0,1) (0,2) (8,0) (0,16), lane: (0,4) (0,8) (1,0) (2,0) (4,0)} -> 16x32">
#b = #tileas.layout<"{register: (1,0) (2,0) (16,0), lane: (4,0) (8,0) (0,1) (0,2) (0,4)} -> 32x8">
#c = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8">
#sa = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0)} -> 16x32">
#sb = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0) (16,0)} -> 32x8">
module {
  func.func @k(%pa: i64, %pb: i64, %pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %xa = tileaa.assume_div_by %pa, 16 : i64
    %xb = tileaa.assume_div_by %pb, 16 : i64
    %xc = tileaa.assume_div_by %pc, 16 : i64
    %va = tileaa.make_view %xa, shape[], strides[] : <[16, 32], i8, strides = [32, 1]>
    %vb = tileaa.make_view %xb, shape[], strides[] : <[32, 8], i8, strides = [8, 1]>
    %vc = tileaa.make_view %xc, shape[], strides[] : <[16, 8], i32, strides = [8, 1]>
    %a, %ta = tileaa.load_view %va[%c0, %c0] after %0 dims [0, 1] : <[16, 32], i8, strides = [32, 1]> -> tensor<16x32xi8, #a>
    %b, %tb = tileaa.load_view %vb[%c0, %c0] after %0 dims [0, 1] : <[32, 8], i8, strides = [8, 1]> -> tensor<32x8xi8, #b>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[16, 8], i32, strides = [8, 1]> -> tensor<16x8xi32, #c>
    %d = tileas.mma <mma_sync m16n8k32> %a, %b, %c {unsignedRhs} : tensor<16x32xi8, #a>, tensor<32x8xi8, #b>, tensor<16x8xi32, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<16x8xi32, #c>, <[16, 8], i32, strides = [8, 1]>
    return
  }
}

// -----

// Older PTX has no sums of 8-bit floats in f16: they are computed in f32 and rounded.
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: m16n8k32.row.col.f32.e5m2.e5m2.f32
// CHECK: arith.truncf {{.*}} : f32 to f16
#a = #tileas.layout<"{register: (0,1) (0,2) (8,0) (0,16), lane: (0,4) (0,8) (1,0) (2,0) (4,0)} -> 16x32">
#b = #tileas.layout<"{register: (1,0) (2,0) (16,0), lane: (4,0) (8,0) (0,1) (0,2) (0,4)} -> 32x8">
#c = #tileas.layout<"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8">
#sa = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0)} -> 16x32">
#sb = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0) (16,0)} -> 32x8">
module {
  func.func @k(%pa: i64, %pb: i64, %pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %xa = tileaa.assume_div_by %pa, 16 : i64
    %xb = tileaa.assume_div_by %pb, 16 : i64
    %xc = tileaa.assume_div_by %pc, 16 : i64
    %va = tileaa.make_view %xa, shape[], strides[] : <[16, 32], i8, strides = [32, 1]>
    %vb = tileaa.make_view %xb, shape[], strides[] : <[32, 8], i8, strides = [8, 1]>
    %vc = tileaa.make_view %xc, shape[], strides[] : <[16, 8], f16, strides = [8, 1]>
    %a, %ta = tileaa.load_view %va[%c0, %c0] after %0 dims [0, 1] : <[16, 32], i8, strides = [32, 1]> -> tensor<16x32xi8, #a>
    %b, %tb = tileaa.load_view %vb[%c0, %c0] after %0 dims [0, 1] : <[32, 8], i8, strides = [8, 1]> -> tensor<32x8xi8, #b>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[16, 8], f16, strides = [8, 1]> -> tensor<16x8xf16, #c>
    %d = tileas.mma <mma_sync m16n8k32> %a, %b, %c {format = f8E5M2} : tensor<16x32xi8, #a>, tensor<32x8xi8, #b>, tensor<16x8xf16, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<16x8xf16, #c>, <[16, 8], f16, strides = [8, 1]>
    return
  }
}

// -----

// f64: two results and one element of each operand in a thread.
// CHECK: m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$4, $5};", "=d,=d,d,d,d,d"
#a = #tileas.layout<"{lane: (0,1) (0,2) (1,0) (2,0) (4,0)} -> 8x4">
#b = #tileas.layout<"{lane: (1,0) (2,0) (0,1) (0,2) (0,4)} -> 4x8">
#c = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
#sa = #tileas.layout<"{offset: (0,1) (0,2) (1,0) (2,0) (4,0)} -> 8x4">
#sb = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (1,0) (2,0)} -> 4x8">
module {
  func.func @k(%pa: i64, %pb: i64, %pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %xa = tileaa.assume_div_by %pa, 16 : i64
    %xb = tileaa.assume_div_by %pb, 16 : i64
    %xc = tileaa.assume_div_by %pc, 16 : i64
    %va = tileaa.make_view %xa, shape[], strides[] : <[8, 4], f64, strides = [4, 1]>
    %vb = tileaa.make_view %xb, shape[], strides[] : <[4, 8], f64, strides = [8, 1]>
    %vc = tileaa.make_view %xc, shape[], strides[] : <[8, 8], f64, strides = [8, 1]>
    %a, %ta = tileaa.load_view %va[%c0, %c0] after %0 dims [0, 1] : <[8, 4], f64, strides = [4, 1]> -> tensor<8x4xf64, #a>
    %b, %tb = tileaa.load_view %vb[%c0, %c0] after %0 dims [0, 1] : <[4, 8], f64, strides = [8, 1]> -> tensor<4x8xf64, #b>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[8, 8], f64, strides = [8, 1]> -> tensor<8x8xf64, #c>
    %d = tileas.mma <mma_sync m8n8k4> %a, %b, %c  : tensor<8x4xf64, #a>, tensor<4x8xf64, #b>, tensor<8x8xf64, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<8x8xf64, #c>, <[8, 8], f64, strides = [8, 1]>
    return
  }
}

// -----

// A tile of 4x4 is computed with copies: one instruction, and each thread has one row's two columns.
// CHECK: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0, $1}, {$2, $3, $4, $5}, {$6, $7}, {$8, $9};", "=r,=r,r,r,r,r,r,r,r,r"
// CHECK-NOT: mma.sync
// CHECK: return
#a = #tileas.layout<"{register: (0,1) (0,0) (0,8), lane: (0,2) (0,4) (1,0) (2,0) (0,0)} -> 4x16">
#b = #tileas.layout<"{register: (1,0) (8,0), lane: (2,0) (4,0) (0,1) (0,2) (0,0)} -> 16x4">
#c = #tileas.layout<"{register: (0,1) (0,0), lane: (0,2) (0,0) (1,0) (2,0) (0,0)} -> 4x4">
#sa = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0)} -> 4x16">
#sb = #tileas.layout<"{offset: (0,1) (0,2) (1,0) (2,0) (4,0) (8,0)} -> 16x4">
module {
  func.func @k(%pa: i64, %pb: i64, %pc: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %0 = tileaa.make_token
    %c0 = arith.constant 0 : index
    %xa = tileaa.assume_div_by %pa, 16 : i64
    %xb = tileaa.assume_div_by %pb, 16 : i64
    %xc = tileaa.assume_div_by %pc, 16 : i64
    %va = tileaa.make_view %xa, shape[], strides[] : <[4, 16], f16, strides = [16, 1]>
    %vb = tileaa.make_view %xb, shape[], strides[] : <[16, 4], f16, strides = [4, 1]>
    %vc = tileaa.make_view %xc, shape[], strides[] : <[4, 4], f16, strides = [4, 1]>
    %a, %ta = tileaa.load_view %va[%c0, %c0] after %0 dims [0, 1] : <[4, 16], f16, strides = [16, 1]> -> tensor<4x16xf16, #a>
    %b, %tb = tileaa.load_view %vb[%c0, %c0] after %0 dims [0, 1] : <[16, 4], f16, strides = [4, 1]> -> tensor<16x4xf16, #b>
    %c, %tc = tileaa.load_view %vc[%c0, %c0] after %0 dims [0, 1] : <[4, 4], f16, strides = [4, 1]> -> tensor<4x4xf16, #c>
    %d = tileas.mma <mma_sync m16n8k16> %a, %b, %c  : tensor<4x16xf16, #a>, tensor<16x4xf16, #b>, tensor<4x4xf16, #c>
    %t = tileaa.store_view %d, %vc[%c0, %c0] after %tc dims [0, 1] : tensor<4x4xf16, #c>, <[4, 4], f16, strides = [4, 1]>
    return
  }
}
