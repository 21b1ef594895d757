// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s
// RUN: env TILEIR_PREFER_TMA_FOR_LOAD_STORE=1 tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s --check-prefix=PREFER
// RUN: env TILEIR_DELAY_TMA_STORE_WAIT=1 tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s --check-prefix=DELAY
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx --dump-after=tileas-materialize-convert-layout -o %t.plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: env TILEIR_ALWAYS_SWIZZLE=1 tilewright compile %s --target=nvidia:sm_90 --emit=ptx --dump-after=tileas-materialize-convert-layout -o %t.swizzled 2>&1 | FileCheck %s --check-prefix=SWIZZLED
// RUN: not diff %t.plain %t.swizzled

// CHECK-LABEL: func.func @copy
// CHECK: tileaa.store_view
// PREFER-LABEL: func.func @copy
// PREFER-NOT: tileaa.store_view
// PREFER: tileas.tma_store_wait %[[A:.*]] but 0
// PREFER: tileas.tma_store %[[A]]

// Four parts through two buffers, or through four.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-2: tileas.alloc : <128x64xbf16
// CHECK: tileas.tma_store_wait %{{.*}}, %{{.*}} but 1
// DELAY-LABEL: func.func @product
// DELAY-COUNT-4: tileas.alloc : <128x64xbf16
// DELAY: tileas.tma_store_wait %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} but 3

// Partial sums of warps.
// PLAIN: "{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128) (0,256) (1,0)} -> 2x512"
// SWIZZLED: "{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,36) (0,72) (0,144) (0,256) (1,0)} -> 2x512"
!line = !tileaa.view<[?], f32, strides = [1]>
!rows = !tileaa.view<[?, ?], f32, strides = [?, 1]>
!view = !tileaa.view<[?, ?], bf16, strides = [?, 1]>
module {
  func.func @copy(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !view
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !view
    %tile, %0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] padding zero : !view -> tensor<64x64xbf16>
    %1 = tileaa.store_view %tile, %vb[%c0, %c0] after %t dims [0, 1] : tensor<64x64xbf16>, !view
    return
  }

  func.func @product(%a: i64, %b: i64, %c: i64, %n: i32) attributes {tileaa.kernel} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !view
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : !view
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : !view
    %ta, %0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] padding zero : !view -> tensor<128x64xbf16>
    %tb, %1 = tileaa.load_view %vb[%c0, %c0] after %t dims [0, 1] padding zero : !view -> tensor<64x256xbf16>
    %r = tileaa.mma %ta, %tb, %zero : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
    %o = arith.truncf %r : tensor<128x256xf32> to tensor<128x256xbf16>
    %2 = tileaa.store_view %o, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x256xbf16>, !view
    return
  }

  func.func @sums(%a: i64, %b: i64, %n: i32) attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {num_worker_warps_per_cta = 8 : i32}}>} {
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %c0 = arith.constant 0 : index
    %nothing = arith.constant 0.0 : f32
    %t = tileaa.make_token
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : !rows
    %vb = tileaa.make_view %pb, shape[%d], strides[] : !line
    %tile, %0 = tileaa.load_view %va[%c0, %c0] after %t dims [0, 1] padding zero : !rows -> tensor<64x512xf32>
    %s = tileaa.reduce %tile from %nothing along 0 {
    ^bb0(%x: f32, %y: f32):
      %add = arith.addf %x, %y : f32
      tileaa.yield %add : f32
    } : (tensor<64x512xf32>, f32) -> tensor<512xf32>
    %u = tileaa.store_view %s, %vb[%c0] after %t dims [0] : tensor<512xf32>, !line
    return
  }
}
