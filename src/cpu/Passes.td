// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PASSES
#define TILEWRIGHT_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CpuFoldShapes : Pass<"cpu-fold-shapes", "::mlir::func::FuncOp"> {
  let summary = "lets loads and stores do the reshapes and permutations next to them";
  let description = [{
    A `tileaa.reshape` that only drops or adds extents of 1 and a `tileaa.permute` of a loaded tile become part of
    the load's `dimMap`, those of a stored tile part of the store's, so that the tile can be used where it lies.
    A tile with other uses is left alone.
  }];
}

def CpuPlan : Pass<"cpu-plan", "::mlir::func::FuncOp"> {
  let summary = "decides register blocks, packing and chunks, and writes them down";
  let description = [{
    Writes the attribute `plan` on the function: the machine's name, the register block of `mma` per element type,
    the vector length of loops, where mma operands are packed, prefetch distances. The other passes of this
    folder read it and decide nothing themselves. With a plan already present (`--plan=FILE`) nothing is changed.
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "the machine, as in --target">];
}

def CpuPackOperands : Pass<"cpu-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "brings mma operands into the element type and order the machine multiplies";
  let description = [{
    Where the plan says that `cpu.mma` multiplies pairs of bf16, the right operand goes through `cpu.pack_pairs`. Bytes
    are extended to pairs of 16-bit integers, which every machine multiplies and adds in one instruction. Other types
    that the machine does not multiply are widened to the accumulator's by a loop.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::tilewright::cpu::CpuDialect"];
}

def CpuPlaceLoads : Pass<"cpu-place-loads", "::mlir::func::FuncOp"> {
  let summary = "loads become views where nothing writes their bytes before the last use, else copies";
  let description = [{
    A tile loaded from a view is read in place, as a buffer with the array's strides, if no store that may touch the
    same array lies between the load and the last use of the tile; otherwise it is copied into scratch. At the
    edges of the array it is always copied, with padding around what exists. A stored tile is computed where it
    is to be, if the loop that computes it reads nothing of the same array, and inside the array.

    Two arrays are taken to be distinct if they come from different parameters of the kernel: a launch with
    overlapping arguments, one of them written, is refused. Tokens need no further attention: they order what the
    program order orders already.

    Products are bounded by what is not padding: by the array's edge, or, where an operand is gathered and zero where
    a mask is false, by the last row that the mask leaves. Zero times anything counts as zero there, infinity included.

    Afterwards no `tileaa` op on views or tokens is left. `cpu-verify-loads` checks the result.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::tilewright::cpu::CpuDialect"];
}

def CpuVerifyLoads : Pass<"cpu-verify-loads", "::mlir::func::FuncOp"> {
  let summary = "reports tiles read in place after something may have overwritten them";
}

def CpuCarryInPlace : Pass<"cpu-carry-in-place", "::mlir::func::FuncOp"> {
  let summary = "gives every tile that control flow carries one scratch buffer";
  let description = [{
    A tile that a loop carries, or that an `if` yields, moves into a buffer of its own, so that `scf` ops carry
    scalars only. The loop that computes the next value writes it straight into that buffer where the old
    value is not needed afterwards; otherwise the value is copied at the end of the iteration, tiles that exchange
    places by way of a third buffer.

    Afterwards no `scf` op has a tensor among its operands and results: `cpu-verify-carried` checks it.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def CpuVerifyCarried : Pass<"cpu-verify-carried", "::mlir::func::FuncOp"> {
  let summary = "reports tiles that control flow still carries as values";
}

def CpuMergeDepth : Pass<"cpu-merge-depth", "::mlir::func::FuncOp"> {
  let summary = "one product for several steps of an accumulating loop";
  let description = [{
    A loop that does nothing with its accumulator but add products to it need not touch the accumulator in every
    iteration: the packed operands of several iterations are put side by side, and the product is computed when they
    are complete or the loop ends. The accumulator is then read and written once per `depth` of the plan.

    Left alone are products whose operands are read in place, whose accumulator the loop uses otherwise, and whose
    bounds change.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CpuKeepTiles : Pass<"cpu-keep-tiles", "::mlir::func::FuncOp"> {
  let summary = "keeps packed tiles for the next blocks that need the same";
  let description = [{
    A buffer that an iteration of a loop fills from arrays alone, by packing or widening a tile, gets room for many
    iterations (`kept_bytes` of the plan, shared by all such buffers). What is in it stays for the next block that the
    same thread runs in the same launch: if the scalars that chose the tile, its keys, are the same, the work is
    skipped. Loops longer than the room keep their first iterations.

    Keys and fill are in the first bytes of scratch, which are zero when a thread begins a launch. A thread whose kept
    tiles are never used again stops keeping until two blocks in turn have the same keys.

    Left alone are arrays that the kernel may write, and tiles that depend on values the loop carries.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CpuAssignScratch : Pass<"cpu-assign-scratch", "::mlir::func::FuncOp"> {
  let summary = "replaces every allocation by a place in the thread's scratch";
  let description = [{
    Buffers get 64-byte aligned offsets; two whose lives do not overlap may share one. The function gains an argument,
    the scratch, and the attribute `tilewright.scratch_bytes`. Dynamic layouts and sizes are refused.
  }];
  let dependentDialects = ["::tilewright::cpu::CpuDialect"];
}

def CpuMicroTiles : Pass<"cpu-micro-tiles", "::mlir::func::FuncOp"> {
  let summary = "loops of register-sized vector work for every op on buffers";
  let description = [{
    Each `linalg` op, `cpu.mma` and `cpu.scan` on buffers becomes `scf.for` loops whose bodies work on vectors no
    larger than the plan's register block: elementwise loops and reductions along the dimension that is contiguous in
    most buffers, transpositions as square blocks, scans in log2 steps within a vector, `mma` as a register block of
    the accumulator with the k loop inside.
    `cpu-verify-micro-tiles` checks that no larger vector exists.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect"];
}

def CpuVerifyMicroTiles : Pass<"cpu-verify-micro-tiles", "::mlir::func::FuncOp"> {
  let summary = "reports vectors above the plan's register block, allocations and dynamic buffers";
}

def CpuExpandMath : Pass<"cpu-expand-math", "::mlir::func::FuncOp"> {
  let summary = "transcendental functions as polynomials";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def CpuPlaceGlobals : Pass<"cpu-place-globals", "::mlir::ModuleOp"> {
  let summary = "globals as those of LLVM, with bytes for elements";
  let description = [{
    Public globals are symbols of the object. All lie in writable memory, constant ones too: a wrong program must not
    raise a signal.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuCheckAllocas : Pass<"cpu-check-allocas", "::mlir::func::FuncOp"> {
  let summary = "refuses memory of a block that several iterations of a loop have at once";
  let description = [{
    A `tileaa.alloca` becomes one place in scratch. In a loop that is right where no iteration sees the memory of
    another: an address that is passed to the next iteration, out of the loop, or into memory is reported.
  }];
}

def CpuHostCalls : Pass<"cpu-host-calls", "::mlir::ModuleOp"> {
  let summary = "print and assert as calls of the runtime";
  let description = [{ Each kernel gains an argument, the runtime's context, which the calls pass on. }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def CpuArraysToLLVM : Pass<"cpu-arrays-to-llvm", "::mlir::func::FuncOp"> {
  let summary = "arrays as memref descriptors";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuBfloatBits : Pass<"cpu-bfloat-bits", "::mlir::ModuleOp"> {
  let summary = "moves bf16 as 16-bit integers";
  let description = [{
    LLVM promotes a bf16 that lives across blocks to f32 and rounds it back by `vcvtneps2bf16`, which makes zeros of
    subnormals. So whatever only moves numbers (loads, stores, selects, shuffles, block arguments, constants) gets their
    bits; the operations that compute with them stand between bitcasts.

    ```
    llvm.br ^loop(%x : bf16)            llvm.br ^loop(%x : i16)
    ```

    Runs on the llvm dialect. Postcondition: no block argument is of bf16.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuKernelEntry : Pass<"cpu-kernel-entry", "::mlir::ModuleOp"> {
  let summary = "wraps each kernel in a function that runs a range of blocks";
  let description = [{
    The function has the kernel's name and the C signature
    `(void **args, int64 gridX, gridY, gridZ, firstBlock, lastBlock, char *scratch, void *context)`; blocks are numbered
    with x fastest. The kernel's body is inlined into the loop over blocks.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

#endif
