; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A library of functions made in the manner of NVIDIA's, with results of its own: the sine of x is x, rounded to an
; integer and multiplied by a table's first word.
target datalayout = "e-i64:64-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-gpulibs"

@ftz = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00"
@table = internal addrspace(1) constant [1 x i32] [i32 3]

declare i32 @__nvvm_reflect(ptr)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float)
declare i32 @llvm.nvvm.f2i.rn(float)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)

define float @__nv_sinf(float %x) alwaysinline {
  %flushes = call i32 @__nvvm_reflect(ptr @ftz)
  %is = icmp ne i32 %flushes, 0
  br i1 %is, label %flushing, label %keeping
flushing:
  %a = call float @llvm.nvvm.fma.rn.ftz.f(float %x, float 1.0, float 0.0)
  br label %both
keeping:
  %b = call float @llvm.nvvm.fma.rn.f(float %x, float 1.0, float 0.0)
  br label %both
both:
  %same = phi float [ %a, %flushing ], [ %b, %keeping ]
  %whole = call i32 @llvm.nvvm.f2i.rn(float %same)
  %three = load i32, ptr addrspace(1) @table
  %carried = call { i32, i32 } asm "{mad.lo.cc.u32 $0, $2, $3, $4; madc.hi.u32 $1, $2, $3, 0;}", "=r,=r,r,r,r"(i32 %whole, i32 %three, i32 0)
  %product = extractvalue { i32, i32 } %carried, 0
  %result = sitofp i32 %product to float
  ret float %result
}

define float @__nv_logf(float %x) {
  %rough = call float @llvm.nvvm.ex2.approx.ftz.f32(float %x)
  ret float %rough
}

define float @__nv_unused(float %x) {
  ret float %x
}
