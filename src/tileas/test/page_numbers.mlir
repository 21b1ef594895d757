// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The producer loads the numbers by which it knows where the tiles of a product are, as those of pages of a cache.
// RUN: tilewright compile %s --target=sm_90 --emit=tileas | FileCheck %s
// CHECK: tileas.agents
// CHECK: tileas.mma <wgmma
// CHECK: }, {
// CHECK: scf.for
// CHECK: %[[PAGE:[^,]*]], %{{.*}} = tileaa.load_ptr %{{.*}} : i64
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[PAGE]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[INDEX]]
// CHECK: tileas.tma_load {{.*}}, %[[OFFSET]]]

// Not where the kernel has written before: the producer would not wait for that.
// RUN: sed -e 's,// %before,%before,' -e '/load_ptr_tko/s/token=.token/token=%before/' %s > %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_90 --emit=tileas | FileCheck %s --check-prefix=AFTER
// AFTER-NOT: tileas.agents

cuda_tile.module @kernels {
  entry @gemm(%pa: tile<ptr<bf16>>, %pb: tile<ptr<bf16>>, %pc: tile<ptr<bf16>>, %pages: tile<ptr<i32>>) {
    %token = make_token : token
    %a = assume div_by<16>, %pa : tile<ptr<bf16>>
    %b = assume div_by<16>, %pb : tile<ptr<bf16>>
    %c = assume div_by<16>, %pc : tile<ptr<bf16>>
    %va = make_tensor_view %a, shape = [4096, 1024], strides = [1024, 1] : tensor_view<4096x1024xbf16, strides=[1024,1]>
    %vb = make_tensor_view %b, shape = [1024, 4096], strides = [4096, 1] : tensor_view<1024x4096xbf16, strides=[4096,1]>
    %vc = make_tensor_view %c, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xbf16, strides=[4096,1]>
    %ta = make_partition_view %va : partition_view<tile=(128x64), tensor_view<4096x1024xbf16, strides=[1024,1]>>
    %tb = make_partition_view %vb : partition_view<tile=(64x128), tensor_view<1024x4096xbf16, strides=[4096,1]>>
    %tc = make_partition_view %vc : partition_view<tile=(128x128), tensor_view<4096x4096xbf16, strides=[4096,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %count = constant <i32: 16> : tile<i32>
    %none = constant <f32: 0.0> : tile<128x128xf32>
    // %before = store_ptr_tko weak %pages, %one token=%token : tile<ptr<i32>>, tile<i32> -> token
    %sum = for %k in (%zero to %count, step %one) : tile<i32> iter_values(%s = %none) -> (tile<128x128xf32>) {
      %at = offset %pages, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %page, %t0 = load_ptr_tko weak %at token=%token : tile<ptr<i32>> -> tile<i32>, token
      %left, %t1 = load_view_tko weak %ta[%x, %page] token = %token : partition_view<tile=(128x64), tensor_view<4096x1024xbf16, strides=[1024,1]>>, tile<i32> -> tile<128x64xbf16>, token
      %right, %t2 = load_view_tko weak %tb[%page, %y] token = %token : partition_view<tile=(64x128), tensor_view<1024x4096xbf16, strides=[4096,1]>>, tile<i32> -> tile<64x128xbf16>, token
      %next = mmaf %left, %right, %s : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
      continue %next : tile<128x128xf32>
    }
    %out = ftof %sum : tile<128x128xf32> -> tile<128x128xbf16>
    %done = store_view_tko weak %out, %tc[%x, %y] token = %token : tile<128x128xbf16>, partition_view<tile=(128x128), tensor_view<4096x4096xbf16, strides=[4096,1]>>, tile<i32> -> token
    return
  }
}
