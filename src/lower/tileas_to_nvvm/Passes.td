// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PASSES
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def TileasToNvvm : Pass<"tileas-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lower tiles to the registers of one thread";
  let description = [{
    A dialect conversion: every tile becomes one scalar for each register of its layout, a view becomes its base,
    dynamic extents and strides, a buffer its offset in shared memory, and a token disappears. An elementwise operation is cloned per register; loads, stores and operations
    that cross threads become `llvm` and `nvvm` operations on addresses computed from the thread's number.

    ```
    %c = arith.addf %a, %b : tensor<128xf32, #x>    -->    %c0 = arith.addf %a0, %b0 : f32
                                                           %c1 = arith.addf %a1, %b1 : f32 ...
    ```
    Precondition: the layouts of each operation agree, no layout conversion needs shared memory, and buffers have
    offsets. An operation that breaks it is reported with the condition, as an internal error. Postcondition: only
    scalars and vectors of one thread are left.

    The output of a kernel goes to the buffer that our launcher sets. By the ABI `portable` it goes to the driver's
    `vprintf` where none is set.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect", "::mlir::ub::UBDialect"];
}

def NvidiaPackBytes : Pass<"nvidia-pack-bytes", "::mlir::ModuleOp"> {
  let summary = "pack bytes that loops and branches pass on into words";
  let description = [{
    Four neighbouring bytes among the values that a loop carries, or that a branch yields, become a word. Each one
    alone would have a register of a thread, and instructions that take it out of its word and put it back: a tile of
    128 bytes a thread, loaded an iteration ahead, spilled 1.8 KB.

    ```
    scf.for ... iter_args(%a, %b, %c, %d : i8)   -->   scf.for ... iter_args(%w : i32)
    ```
    Left alone: bytes that are not four side by side.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NvidiaScalarInstructions : Pass<"nvidia-scalar-instructions", "::mlir::ModuleOp"> {
  let summary = "lower scalar operations that LLVM lacks to inline PTX";
  let description = [{
    Rounding modes, flushing of subnormals, conversions from and to 8-bit floats, `exp2` and `rsqrt` of f32, and
    approximate functions (`afn`) become single instructions; `exp` of f32 becomes eight. Remainders of floats,
    which LLVM would compute from a rounded quotient, become calls of a function in the module that divides bit by
    bit and is exact.

    ```
    %s = tileaa.float add %a, %b rounding zero flush : f32   -->   add.rz.ftz.f32
    ```
    Postcondition: no operation of `tileaa` is left on scalars.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect"];
}

def NvidiaKernelEntry : Pass<"nvidia-kernel-entry", "::mlir::ModuleOp"> {
  let summary = "turn kernels into functions that a driver can launch";
  let description = [{
    An `llvm.func` with `tileaa.kernel` gets `nvvm.kernel` and, from `tileas.cta`, the number of threads of a CTA.
    Buffers in shared memory become one array of the module; `shared_bytes` in `tileas.cta` of the function is the
    number of bytes that a launch has to provide.

    PTX's performance-tuning directives give the assembler the threads of a CTA and, by the hint `occupancy`, the
    number of CTAs that have to fit on a multiprocessor (`.minnctapersm`), limited by shared memory, from which it
    derives the registers of a thread. The hint stays at the function: the caller of the assembler answers it, and
    omits the directive where it causes spills. For a kernel whose agents share all registers it is answered here.
    The pragma "nounroll" is not emitted: on the loops of the corpus's first modules it changes ptxas's time by one
    percent and no register count.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
