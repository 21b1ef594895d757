// The plans of a kernel are ranked by predicted time, and the fastest is printed with the runner-up of each decision.
// DEFINE: %{launch} = --target=sm_90 --grid=32,32 --arg=ptr --arg=ptr --arg=ptr
// RUN: tilewright plan %s %{launch} --search=40 -o %t.toml 2>&1 | FileCheck %s
// CHECK: 41 plans for H100: {{[0-9]+}} differ, {{[0-9]+}} are refused, {{[0-9]+}} are equal to others
// CHECK: predicted bound decided otherwise
// CHECK: 1 {{[0-9.]+}} us {{[A-Za-z]+}}
// CHECK: none, the compiler's plan
// RUN: FileCheck %s --check-prefix=PLAN < %t.toml
// PLAN: [gemm]
// PLAN: warps = {{[0-9]+ .*; [0-9]+}} is predicted {{[0-9.]+}} % slower ({{.*}})
// PLAN: [gemm.product.0]
// PLAN: atom = "wgmma"  # {{.*}}; mma_sync is predicted {{[0-9.]+}} % slower
// PLAN: [gemm.load.0]

// It is a plan file.
// RUN: tilewright compile %s --target=sm_90 --plan=%t.toml --emit=ptx -o /dev/null

// Decisions of a plan file are kept.
// RUN: printf '[gemm]\nwarps = 4\npersistent = false\n' > %t.four
// RUN: tilewright plan %s %{launch} --search=20 --plan=%t.four 2>/dev/null | FileCheck %s --check-prefix=FOUR
// FOUR-DAG: persistent = false  # the plan file asks for it
// FOUR-DAG: warps = 4  # the plan file asks for it

// For programs, with the reasons of refusals.
// RUN: tilewright plan %s %{launch} --search=40 --json | FileCheck %s --check-prefix=JSON
// JSON: "candidates": [
// JSON: "changes":
// JSON: "refused": [
// JSON: "reason": "{{.*}}is impossible

// Explanations have the runner-up of each decision of the compiler's plan.
// RUN: tilewright explain %s %{launch} --search=40 --assembler=/nowhere/ptxas | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: warps = {{[0-9]+}}: as many as for {{.*}}; {{[0-9]+}} is predicted {{[0-9.]+}} % {{slower|faster}} ({{.*}})
// EXPLAIN: product.0.atom = wgmma: {{.*}}; mma_sync is predicted
// RUN: tilewright explain %s %{launch} --search=40 --assembler=/nowhere/ptxas --json | FileCheck %s --check-prefix=EXPLAINED
// EXPLAINED: "runner_up": {
// EXPLAINED: "ratio":
// RUN: not tilewright explain %s --target=sm_90 --search=4 2>&1 | FileCheck %s --check-prefix=NOGRID

// RUN: not tilewright plan %s --target=sm_90 --search=40 2>&1 | FileCheck %s --check-prefix=NOGRID
// NOGRID: --search needs the launch whose time is predicted, expected --grid
// RUN: not tilewright plan %s --target=sm_90 --grid=4 2>&1 | FileCheck %s --check-prefix=NOSEARCH
// NOSEARCH: --grid and --arg describe the launch of a search, expected --search=N
// RUN: not tilewright plan %s --target=sm_90 --grid=4 --search=9 --entry=gem 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: the module has no entry 'gem', expected one of gemm

cuda_tile.module @kernels {
  entry @gemm(%pa: tile<ptr<bf16>>, %pb: tile<ptr<bf16>>, %pc: tile<ptr<bf16>>) {
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
    %sum = for %k in (%zero to %count, step %one) : tile<i32> iter_values(%s = %none) -> (tile<128x128xf32>) {
      %left, %t1 = load_view_tko weak %ta[%x, %k] token = %token : partition_view<tile=(128x64), tensor_view<4096x1024xbf16, strides=[1024,1]>>, tile<i32> -> tile<128x64xbf16>, token
      %right, %t2 = load_view_tko weak %tb[%k, %y] token = %token : partition_view<tile=(64x128), tensor_view<1024x4096xbf16, strides=[4096,1]>>, tile<i32> -> tile<64x128xbf16>, token
      %next = mmaf %left, %right, %s : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
      continue %next : tile<128x128xf32>
    }
    %out = ftof %sum : tile<128x128xf32> -> tile<128x128xbf16>
    %done = store_view_tko weak %out, %tc[%x, %y] token = %token : tile<128x128xbf16>, partition_view<tile=(128x128), tensor_view<4096x4096xbf16, strides=[4096,1]>>, tile<i32> -> token
    return
  }
}
