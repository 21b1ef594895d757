// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PASSES
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def TileasToNvvm : Pass<"tileas-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "tiles become the registers of a thread";
  let description = [{
    Every tile becomes one scalar for each register that its layout has, a view its base, dynamic extents and strides,
    a token nothing. An elementwise operation is cloned per register; loads, stores and everything that crosses
    threads become `llvm` and `nvvm` operations on addresses that are computed from the number of the thread.

    ```
    %c = arith.addf %a, %b : tensor<128xf32, #x>    -->    %c0 = arith.addf %a0, %b0 : f32
                                                           %c1 = arith.addf %a1, %b1 : f32 ...
    ```
    Before it the layouts of each operation agree, as verify-tileas says, and no conversion that needs shared
    memory remains. After it only scalars and vectors of one thread remain. An operation for which the layouts do not agree
    is reported as an error of ours.

    What a kernel prints goes to the buffer that our launcher sets. With `any-launcher` it goes to the driver's `vprintf`
    where none has set it.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">,
                 Option<"anyLauncher", "any-launcher", "bool", "false",
                        "print by the driver's vprintf where the launcher reads no host buffer">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect", "::mlir::ub::UBDialect"];
}

def NvidiaScalarInstructions : Pass<"nvidia-scalar-instructions", "::mlir::ModuleOp"> {
  let summary = "scalar operations that LLVM has no word for, as PTX";
  let description = [{
    Rounding by a mode, flushing of subnormals, conversions from and to floats of eight bits, `exp2` and `rsqrt` of f32,
    and functions that may be rough (`afn`) become single instructions, written out; `exp` of f32 becomes eight. Remainders of floats, which LLVM would compute from a rounded
    quotient, call a function of the module that divides bit by bit and is exact.

    ```
    %s = tileaa.float add %a, %b rounding zero flush : f32   -->   add.rz.ftz.f32
    ```
    After it no operation of `tileaa` is left on scalars.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect"];
}

def NvidiaKernelEntry : Pass<"nvidia-kernel-entry", "::mlir::ModuleOp"> {
  let summary = "kernels become functions that a driver launches";
  let description = [{
    An `llvm.func` with `tileaa.kernel` gets `nvvm.kernel` and, from `tileas.warps`, the threads of a block, which the
    launcher need not know. Buffers of shared memory become one array of the module; `tileas.shared_bytes` stays at the
    function and says how many bytes of it a launch has to provide.

    What the assembler's code generator is told are the directives of PTX for tuning (PTX ISA, performance-tuning
    directives): the threads of a block, and by the hint `occupancy` how many blocks have to fit (`.minnctapersm`), from
    which it counts the registers of a thread; not more than shared memory has room for. Whoever has it assembled answers the
    hint, which stays at the function, and leaves the directive out where registers are spilled because of it; of a kernel
    whose agents share all registers it is answered here. Its pragma "nounroll" is not written: on the loops of the corpus's first
    modules it changes ptxas's time by one percent and no register count.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
