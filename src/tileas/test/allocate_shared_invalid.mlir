// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_120},func.func(tileas-allocate-shared))' --split-input-file --verify-diagnostics

#x = #tileas.layout<"{register: 1 2 4 8 16 32 64 128 4096 8192, lane: 256 512 1024 2048 0} -> 16384">
#b = #tileas.layout<"{offset: 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192} -> 16384">

func.func @k(%x: tensor<16384xf32, #x>) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // expected-error@+1 {{kernel 'k' needs 131072 bytes of shared memory in a block, and sm_120a has 101376; the most, 65536, are needed here: use smaller tiles}}
  %a = tileas.alloc : !tileas.buffer<16384xf32, #b>
  %b = tileas.alloc : !tileas.buffer<16384xf32, #b>
  tileas.write %x, %a : tensor<16384xf32, #x>, !tileas.buffer<16384xf32, #b>
  tileas.write %x, %b : tensor<16384xf32, #x>, !tileas.buffer<16384xf32, #b>
  %0 = tileas.read %a : !tileas.buffer<16384xf32, #b> -> tensor<16384xf32, #x>
  %1 = tileas.read %b : !tileas.buffer<16384xf32, #b> -> tensor<16384xf32, #x>
  return
}
