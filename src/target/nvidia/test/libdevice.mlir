// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library of functions, found in a toolkit, is linked: what kernels call of it, with its questions answered.
// RUN: split-file %s %t
// RUN: mkdir -p %t/nvvm/libdevice && llvm-as %S/Inputs/libdevice.ll -o %t/nvvm/libdevice/libdevice.10.bc
// RUN: env CUDA_HOME=%t TILEWRIGHT_MATH=libdevice-bits tilewright compile %t/sine.mlir --target=sm_90 --emit=llvm -o - | FileCheck %s --check-prefix=DEVICE
// RUN: env CUDA_HOME=%t TILEWRIGHT_MATH=libdevice-bits tilewright compile %t/sine.mlir --target=sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: env CUDA_HOME=%t TILEWRIGHT_MATH=libdevice-bits tilewright compile %t/sine.mlir --target=cpu:x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=CPU
// RUN: env TILEWRIGHT_MATH=own tilewright compile %t/sine.mlir --target=sm_90 --emit=llvm -o - | FileCheck %s --check-prefix=OWN

// The branch that does not flush is taken, and nothing else of the library comes along.
// DEVICE-NOT: fma.rn.ftz
// DEVICE-NOT: __nv_unused
// DEVICE: call i32 @llvm.nvvm.f2i.rn
// DEVICE: mad.lo.cc.u32
// DEVICE-NOT: __nvvm_reflect

// PTX: cvt.rni.s32.f32
// PTX: mad.lo.cc.u32

// On a CPU operations of equal results stand for those of GPUs.
// CPU-NOT: llvm.nvvm
// CPU-NOT: mad.lo
// CPU: call float @llvm.roundeven.f32
// CPU: @llvm.fptosi.sat.i32.f32
// CPU-NOT: llvm.nvvm

// OWN-NOT: mad.lo

// An unknown choice, a place without the library, and a function that is not in it.
// RUN: not env TILEWRIGHT_MATH=fast tilewright compile %t/sine.mlir --target=sm_90 -o %t/x 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: tilewright as %t/sine.mlir -o %t/sine.tilebc
// RUN: not env TILEWRIGHT_MATH=fast tileiras --gpu-name=sm_90 %t/sine.tilebc -o %t/x 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: environment variable TILEWRIGHT_MATH is 'fast', expected own or libdevice-bits
// RUN: not env CUDA_HOME=%t TILEWRIGHT_MATH=libdevice-bits tilewright compile %t/tangent.mlir --target=sm_90 -o %t/x 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: libdevice.10.bc: it has no __nv_tanf
// RUN: not env CUDA_HOME=%t TILEWRIGHT_MATH=libdevice-bits tilewright compile %t/logarithm.mlir --target=cpu -o %t/x 2>&1 | FileCheck %s --check-prefix=ROUGH
// ROUGH: libdevice.10.bc: its __nv_logf needs an instruction of a GPU: llvm.nvvm.ex2.approx.ftz.f32

//--- sine.mlir
cuda_tile.module @m {
  entry @kernel(%p: tile<ptr<f32>>) {
    %x, %t0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %y = sin %x : tile<f32>
    %t1 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
//--- tangent.mlir
cuda_tile.module @m {
  entry @kernel(%p: tile<ptr<f32>>) {
    %x, %t0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %y = tan %x : tile<f32>
    %t1 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
//--- logarithm.mlir
cuda_tile.module @m {
  entry @kernel(%p: tile<ptr<f32>>) {
    %x, %t0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %y = log %x : tile<f32>
    %t1 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
