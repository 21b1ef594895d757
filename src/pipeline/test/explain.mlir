// What a kernel for a GPU does, what was decided, what became of its hints, and what its code uses, at each level.
// RUN: tilewright explain %s --target=sm_90 --assembler=/nowhere/ptxas | FileCheck %s
// RUN: tilewright compile %s --target=sm_90 --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilewright explain %s --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=CPU
// RUN: not tilewright explain %s --target=sm_42 2>&1 | FileCheck %s --check-prefix=TARGET

// CHECK: scale for sm_90a
// CHECK-NEXT: work of a block loads 4096 bytes, stores 4096 bytes, 2048 operations on elements
// CHECK-NEXT: each iteration of the loop at {{.*}}explain.mlir:[[@LINE+30]]: loads 4096 bytes, 1024 operations on elements
// CHECK-NEXT: block {{.*}} threads, {{[0-9]+}} warps
// CHECK-NEXT: instructions {{.*}}loads of 16 bytes
// CHECK-NEXT: no cubin ptxas /nowhere/ptxas cannot be used: cannot start
// CHECK-NEXT: decided {{ *}}warps = 2
// CHECK: hints {{ *}}num_worker_warps_per_cta = 2 of the kernel at {{.*}}explain.mlir:[[@LINE+12]]: followed: these warps work
// CHECK-NEXT: num_cta_in_cga = 2 of the kernel at {{.*}}explain.mlir:[[@LINE+11]]: not followed: kernels have no clusters
// CHECK: tiles {{ *}}1024xf32: {{.*}} values a thread, {{.*}} of these tiles; {register:
// PLAN: [scale]
// PLAN: warps = 2
// CPU: [scale]
// CPU: loop_vectors =
// CPU: num_cta_in_cga = 2 of the kernel at {{.*}}: not followed: a CPU has no clusters of blocks
// CPU: num_worker_warps_per_cta = 4 of the kernel at {{.*}}: not followed: a CPU has no warps
// TARGET: unknown NVIDIA architecture 'sm_42', expected one of

cuda_tile.module @kernels {
  entry @scale(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<default = {num_worker_warps_per_cta = 4, num_cta_in_cga = 2}, sm_90 = {num_worker_warps_per_cta = 2}, sm_100 = {num_worker_warps_per_cta = 2}> {
    %token = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %a = assume div_by<16>, %in : tile<ptr<f32>>
    %b = assume div_by<16>, %out : tile<ptr<f32>>
    %vi = make_tensor_view %a, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %vo = make_tensor_view %b, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %pi = make_partition_view %vi : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>
    %po = make_partition_view %vo : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>
    %first, %t0 = load_view_tko weak %pi[%zero] token = %token : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    // Its turns are not known.
    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %first) -> (tile<1024xf32>) {
      %x, %t1 = load_view_tko weak %pi[%i] token = %token : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
      %next = addf %s, %x : tile<1024xf32>
      continue %next : tile<1024xf32>
    }
    // These are: two operations.
    %two = constant <i32: 2> : tile<i32>
    %doubled = for %i in (%zero to %two, step %one) : tile<i32> iter_values(%s = %sum) -> (tile<1024xf32>) {
      %next = addf %s, %s : tile<1024xf32>
      continue %next : tile<1024xf32>
    }
    %done = store_view_tko weak %doubled, %po[%zero] token = %token : tile<1024xf32>, partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
