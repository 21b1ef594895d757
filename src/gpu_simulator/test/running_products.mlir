// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product that wgmma is left with, of a tile by itself: who reads its sums, or releases the stage it reads, has waited
// for its end. Each of the two waits is left out once.
// RUN: %python -m tilewright run %s --level=tileas --target=sm_90 --arg arange:4096 --arg zeros:4096 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: sed -e '/WAITS/d' -e 's|%%sum|%%started|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90 --arg arange:4096 --arg zeros:4096 2>&1 | FileCheck %s --check-prefix=EARLY-RELEASE
// RUN: sed -e '/RELEASES/d' -e '/WAITS/d' -e 's|// LATER ||' -e 's|%%sum, %%vy|%%started, %%vy|' %s > %t && not %python -m tilewright run %t --level=tileas --target=sm_90 --arg arange:4096 --arg zeros:4096 2>&1 | FileCheck %s --check-prefix=EARLY-READ

// RESULT: argument 1: float32 4096
// RESULT: 5.462016e+06

// EARLY-RELEASE: {{.*}}:[[#]]:{{.*}} error: early release: {{.*}} a stage that a product still reads: expected a tileas.mma_wait before
// EARLY-RELEASE: tileas.consumer_release
// EARLY-RELEASE: {{.*}}:[[#]]:{{.*}} note: started here
// EARLY-RELEASE: tileas.mma <wgmma

// EARLY-READ: {{.*}}:[[#]]:{{.*}} error: read before data: {{.*}} use the result of a product that is running: expected a tileas.mma_wait before
// EARLY-READ: tileaa.store_view
// EARLY-READ: {{.*}}:[[#]]:{{.*}} note: started here

#left = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)} -> 64x64">
#sums = #tileas.layout<"{register: (0,1) (8,0) (0,8) (0,16) (0,32), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x64">
!tile = !tileas.buffer<64x64xf16, #left>
!ring = !tileas.pipeline<2 x [<64x64xf16, #left>]>
!half = !tileaa.view<[64, 64], f16, strides = [64, 1]>
!full = !tileaa.view<[64, 64], f32, strides = [64, 1]>
module {
  func.func @square(%x: i64, %y: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 4, threads = 256, shared_bytes = 16416>} {
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %vx = tileaa.make_view %x, shape[], strides[] : !half
    %vy = tileaa.make_view %y, shape[], strides[] : !full
    %desc = tileas.make_tiled_tma_desc %vx box [64, 64] swizzle 128 : !half
    %ring = tileas.create_pipeline of 1 at 0 : <2 x [<64x64xf16, #left>]>
    tileas.agents warps = [4, 4], registers = [0, 0] {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
      tileas.consumer_wait %ring : <2 x [<64x64xf16, #left>]>
      %a = tileas.consumer_read %ring[0] : <2 x [<64x64xf16, #left>]> -> <64x64xf16, #left>
      %started = tileas.mma <wgmma m64n64k16> %a, %a, %zero {running} : !tile, !tile, tensor<64x64xf32, #sums>
      %sum = tileas.mma_wait %started : tensor<64x64xf32, #sums> // WAITS
      tileas.consumer_release %ring : <2 x [<64x64xf16, #left>]> // RELEASES
      %u = tileaa.store_view %sum, %vy[%c0, %c0] after %t dims [0, 1] : tensor<64x64xf32, #sums>, !full
      // LATER %again = tileas.mma_wait %started : tensor<64x64xf32, #sums>
      // LATER tileas.consumer_release %ring : <2 x [<64x64xf16, #left>]>
    }, {
      tileas.producer_acquire %ring : <2 x [<64x64xf16, #left>]>
      tileas.tma_load %desc[%c0, %c0] into %ring[0] split 1 by 1 : <2 x [<64x64xf16, #left>]>
      tileas.producer_commit %ring : <2 x [<64x64xf16, #left>]>
    }
    return
  }
}
