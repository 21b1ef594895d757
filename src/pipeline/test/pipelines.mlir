// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines of targets by name, alone and one after another.
// RUN: tilewright-opt %s --tilewright-tileaa --verify-each | FileCheck %s --check-prefix=TILEAA
// RUN: tilewright-opt %s --tilewright-tileaa --tilewright-linalg=target=cpu:x86-64-v3 --verify-each | FileCheck %s --check-prefix=LINALG
// RUN: tilewright-opt %s --tilewright-cpu=target=cpu:x86-64-v3 --verify-each | FileCheck %s --check-prefix=CPU
// RUN: tilewright-opt %s --tilewright-tileaa --tilewright-tileas=arch=sm_90 --verify-each > %t.tileas
// RUN: FileCheck %s --check-prefix=TILEAS < %t.tileas
// RUN: tilewright-opt %t.tileas --tilewright-nvvm=arch=sm_90 --verify-each > %t.steps
// RUN: tilewright-opt %s --tilewright-nvidia=arch=sm_90 --verify-each > %t.whole
// RUN: FileCheck %s --check-prefix=NVVM < %t.whole
// RUN: diff %t.steps %t.whole
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tilewright-nvidia{arch=sm_90 portable=true})' | FileCheck %s --check-prefix=PORTABLE
// RUN: not tilewright-opt %s --tilewright-nvidia=arch=sm_7 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tilewright-opt %s --tilewright-cpu=target=cpu:z80 2>&1 | FileCheck %s --check-prefix=CPUS

// TILEAA: func.func @scale
// TILEAA: tileaa.load_view
// LINALG: {{#cpu.plan|plan = [{]}}
// LINALG: linalg.
// CPU: llvm.func @scale
// TILEAS: tileaa.load_view {{.*}}#layout
// NVVM: llvm.func @scale({{.*}}nvvm.kernel
// PORTABLE: llvm.func @scale({{.*}}nvvm.kernel
// ARCH: error: {{.*}}sm_7
// CPUS: error: {{.*}}z80

cuda_tile.module @m {
  entry @scale(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %a, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %vb = make_tensor_view %b, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %pb = make_partition_view %vb : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %x, %t = load_view_tko weak %pa[%c0] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %y = addf %x, %x : tile<64xf32>
    %u = store_view_tko weak %y, %pb[%c0] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
