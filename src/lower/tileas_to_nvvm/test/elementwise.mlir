// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of 1024 in four warps, of which two hold copies: two vectors of eight a thread, and only the first two store.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse | FileCheck %s

#x = #tileas.layout<"{register: (0,1) (0,2) (0,4) (0,512), lane: (0,8) (0,16) (0,32) (0,64) (0,128), warp: (0,256) (0,0)} -> 1x1024">
#r = #tileas.layout<"{register: 0 0 0 0, lane: 0 0 0 0 0, warp: 0 0} -> 1">
module {
  func.func @k(%arg0: i64, %n: index) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4>} {
    // CHECK-DAG: nvvm.read.ptx.sreg.tid.x
    // CHECK-DAG: nvvm.shfl.sync idx
    // CHECK-DAG: llvm.mlir.addressof @tilewright_zeros
    // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
    // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
    // CHECK-NOT: llvm.load
    // CHECK-COUNT-16: arith.addf {{.*}} : f32
    // CHECK-NOT: arith.addf
    // CHECK-COUNT-2: llvm.inline_asm has_side_effects {{.*}}"@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r,~{memory}"
    // CHECK-NOT: st.global
    %0 = tileaa.make_token
    %b = tileaa.assume_div_by %arg0, 16 : i64
    %m = tileaa.assume_div_by %n, 16 : index
    %4 = tileaa.make_view %b, shape[%m, %m], strides[%m] : <[?, ?], bf16, strides = [?, 1]>
    %x, %y, %z = tileaa.block_id
    %9 = arith.index_cast %x : i32 to index
    %c0 = arith.constant 0 : index
    %tile, %t = tileaa.load_view %4[%9, %c0] after %0 dims [0, 1] padding neg_inf : <[?, ?], bf16, strides = [?, 1]> -> tensor<1x1024xbf16, #x>
    %10 = arith.extf %tile : tensor<1x1024xbf16, #x> to tensor<1x1024xf32, #x>
    %14 = arith.addf %10, %10 : tensor<1x1024xf32, #x>
    %21 = arith.truncf %14 : tensor<1x1024xf32, #x> to tensor<1x1024xbf16, #x>
    %22 = tileaa.store_view %21, %4[%9, %c0] after %0 dims [0, 1] : tensor<1x1024xbf16, #x>, <[?, ?], bf16, strides = [?, 1]>
    return
  }
}
