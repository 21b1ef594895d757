// What a kernel for a GPU does, what was decided, what became of its hints, and what its code uses, at each level.
// RUN: tilewright explain %s --target=sm_90 --assembler=/nowhere/ptxas | FileCheck %s
// RUN: tilewright compile %s --target=sm_90 --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilewright explain %s --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=CPU
// RUN: tilewright explain %s --target=sm_90 --grid=100 --arg=ptr --arg=ptr --arg=4 | FileCheck %s --check-prefix=LAUNCH
// RUN: tilewright explain %s --target=sm_90 --grid=100 --product=H200 | FileCheck %s --check-prefix=UNKNOWN
// RUN: tilewright explain %s --target=sm_90 --json --grid=100 | %python -c 'import json, sys; k, = json.load(sys.stdin); print(k["name"], k["prediction"]["grid"], k["decisions"][0]["value"])' | FileCheck %s --check-prefix=JSON
// RUN: tilewright explain %s --target=cpu:x86-64-v3 --json | FileCheck %s --check-prefix=CPUJSON
// RUN: not tilewright explain %s --target=sm_90 --arg=4 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not tilewright explain %s --target=sm_90 --grid=4 --entry=gemm 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tilewright explain %s --target=sm_90 --grid=4 --product=B200 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: tilewright explain %s --target=cpu:x86-64-v3 --grid=100 --arg=ptr --arg=ptr --arg=4 --threads=8 | FileCheck %s --check-prefix=HOST
// RUN: not tilewright explain %s --grid=4 --product=H100 2>&1 | FileCheck %s --check-prefix=HOSTPRODUCT
// RUN: not tilewright explain %s --target=sm_42 2>&1 | FileCheck %s --check-prefix=TARGET

// LAUNCH: scale for sm_90a
// LAUNCH-NEXT: predicted {{[0-9.]+}} us on H100, bound by {{.*}}, for a grid of 100x1x1
// LAUNCH-NEXT: bounds {{.*}}launch 4.4 us
// LAUNCH-NEXT: roofline {{.*}}op, {{.*}} of {{.*}}Top/s; {{.*}} of DRAM, {{.*}} of 3.35 TB/s; {{.*}} each byte, the ridge is at
// LAUNCH-NEXT: blocks 100 in 0.0{{[0-9]}} waves of
// LAUNCH-NOT: a loop iterates
// LAUNCH: work of a block
// LAUNCH-NOT: --grid
// UNKNOWN: on H200, bound by
// UNKNOWN: not known how often a loop iterates: it counts as one iteration, and the time is too short
// UNKNOWN-NEXT: where some tiles lie: those at unknown places count as different ones
// JSON: scale [100, 1, 1] 2
// CPUJSON: "name": "loop_vectors"
// CPUJSON: "prediction": null
// CPUJSON: "target": "cpu:x86-64-v3"
// GRID: --arg 4 without --grid, expected both, as in --grid=64,64
// ENTRY: the module has no entry 'gemm', expected one of scale
// PRODUCT: there is no product 'B200' of sm_90a, expected H100 or H200
// HOST: scale for cpu:x86-64-v3
// HOST-NEXT: predicted {{[0-9.]+}} us on 8 threads of {{.*}}, bound by {{.*}}, for a grid of 100x1x1
// HOST: work of a block
// HOSTPRODUCT: the product 'H100' is one of GPUs, found the target cpu:host

// CHECK: scale for sm_90a
// CHECK-NEXT: work of a block loads 4096 bytes, stores 4096 bytes, 2048 operations on elements
// CHECK-NEXT: each iteration of the loop at {{.*}}explain.mlir:[[@LINE+32]]: loads 4096 bytes, 1024 operations on elements
// CHECK-NEXT: block {{.*}} threads, {{[0-9]+}} warps
// CHECK-NEXT: instructions {{.*}}loads of 16 bytes
// CHECK-NEXT: no cubin ptxas /nowhere/ptxas cannot be used: cannot start
// CHECK-NEXT: decided {{ *}}warps = 2
// CHECK: hints {{ *}}num_worker_warps_per_cta = 2 of the kernel at {{.*}}explain.mlir:[[@LINE+14]]: followed: these warps work
// CHECK-NEXT: num_cta_in_cga = 2 of the kernel at {{.*}}explain.mlir:[[@LINE+13]]: not followed: only persistent kernels have clusters: no warpgroup multiplies in a loop
// CHECK: tiles {{ *}}1024xf32: {{.*}} values a thread, {{.*}} of these tiles; {register:
// CHECK: --grid and --arg give the predicted time of a launch.
// PLAN: [scale]
// PLAN: warps = 2
// CPU: scale for cpu:x86-64-v3
// CPU-NEXT: work of a block loads 4096 bytes
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
