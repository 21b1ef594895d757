// What the optimizer says of its decisions: how wide accesses are, what multiplies, and which hints are not followed.
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o %t.ptx --remarks 2>&1 | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty

// CHECK: in function: copy:
// CHECK: category: Hints
// CHECK: remark[missed]: latency = 3 of the load at {{.*}}remarks.mlir:[[@LINE+26]]: not followed: it is in no loop with a counter
// CHECK-NEXT: --> "{{.*}}remarks.mlir":[[@LINE+25]]:
// CHECK: remark[missed]: allow_tma = true of the load at {{.*}}remarks.mlir:[[@LINE+26]]: not followed: it is unused or was merged with an equal one
// CHECK: category: Memory
// CHECK: remark[missed]: load of 4 bytes by each thread, 8 times
// CHECK: = reason: no more neighbours in memory
// CHECK: in function: product:
// CHECK: category: TensorCore
// CHECK-NEXT: remark[passed]: a product by tensor cores
// CHECK-NEXT: --> "{{.*}}remarks.mlir":[[@LINE+47]]:
// CHECK: = note: Instruction = {{.*}}mma_sync m16n8k16
// CHECK: remark[missed]: a product without tensor cores
// CHECK: = note: Instruction = {{.*}}fma
// CHECK: in function: aligned:
// CHECK: remark[passed]: load of 16 bytes by each thread, 2 times
// CHECK: remark[passed]: store of 16 bytes by each thread, 2 times
// SILENT-NOT: remark

cuda_tile.module @kernels {
  entry @copy(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) optimization_hints=<sm_80 = {occupancy = 2}> {
    %token = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %in, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %vo = make_tensor_view %out, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %pi = make_partition_view %vi : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %po = make_partition_view %vo : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %x, %t0 = load_view_tko weak %pi[%zero] token = %token optimization_hints = <default = {latency = 3}> : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    // Nothing uses it: it is gone before a pass decides.
    %dead, %t1 = load_view_tko weak %pi[%zero] token = %token optimization_hints = <default = {allow_tma = true}> : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %done = store_view_tko weak %x, %po[%zero] token = %token : tile<1024xf32>, partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @aligned(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
    %a = assume div_by<16>, %in : tile<ptr<f32>>
    %b = assume div_by<16>, %out : tile<ptr<f32>>
    %token = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %vo = make_tensor_view %b, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %pi = make_partition_view %vi : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %po = make_partition_view %vo : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %x, %t0 = load_view_tko weak %pi[%zero] token = %token : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %done = store_view_tko weak %x, %po[%zero] token = %token : tile<1024xf32>, partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @product(%in: tile<ptr<bf16>>, %out: tile<ptr<f32>>) {
    %token = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %a = assume div_by<16>, %in : tile<ptr<bf16>>
    %b = assume div_by<16>, %out : tile<ptr<f32>>
    %vi = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xbf16, strides=[64,1]>
    %vo = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %pi = make_partition_view %vi : partition_view<tile=(64x64), tensor_view<64x64xbf16, strides=[64,1]>>
    %po = make_partition_view %vo : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %x, %t0 = load_view_tko weak %pi[%zero, %zero] token = %token : partition_view<tile=(64x64), tensor_view<64x64xbf16, strides=[64,1]>>, tile<i32> -> tile<64x64xbf16>, token
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %y = mmaf %x, %x, %none : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
    // No tensor core has products of f32.
    %z = mmaf %y, %y, %none : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %done = store_view_tko weak %z, %po[%zero, %zero] token = %token : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
