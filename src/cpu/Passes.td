// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PASSES
#define TILEWRIGHT_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CpuFoldShapes : Pass<"cpu-fold-shapes", "::mlir::func::FuncOp"> {
  let summary = "fold reshapes and permutations into adjacent loads and stores";
  let description = [{
    A `tileaa.reshape` that only drops or adds unit extents, or a `tileaa.permute`, is folded into the `dimMap` of the
    load that defines its operand or of the store that uses its result. The tile can then be accessed in place.

    ```
    %a = tileaa.load_view %v[%i, %j] dims [0, 1]         %t = tileaa.load_view %v[%i, %j] dims [1, 0]
    %t = tileaa.permute %a by [1, 0]             -->
    ```
    Left alone: tiles with other uses.
  }];
}

def CpuPlan : Pass<"cpu-plan", "::mlir::func::FuncOp"> {
  let summary = "choose register blocks, packing and chunk sizes";
  let description = [{
    Sets the attribute `cpu.plan` of a kernel (`#cpu.plan`): vector length, the register block of `mma`, prefetch
    distances, sizes of scratch. The other passes of this folder read the plan and make no choices of their own. A
    function that already has a plan is not changed.
  }];
  let dependentDialects = ["::tilewright::cpu::CpuDialect"];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "the machine, as in --target">];
}

def CpuJoinBlocks : Pass<"cpu-join-blocks", "::mlir::ModuleOp"> {
  let summary = "make a body for several neighbouring blocks of a kernel";
  let description = [{
    Where the plan's `joined_blocks` is more than 1, a second function `@k.joined` runs so many blocks along x at once:
    their tiles lie side by side in larger ones, so that vectors are filled across blocks, reductions have more than
    one accumulator, and what is the same in all blocks is loaded and computed once. `cpu-kernel-entry` runs the blocks
    that are left by the old function.

    ```
    %x = tileaa.block_id
    %a = tileaa.load_view %v[%x, %c0] -> tensor<1x64xf32>    -->  %a = tileaa.load_view %v[%x, %c0] -> tensor<8x64xf32>
    %s = linalg.generic ins(%a) ... -> tensor<1xf32>              %s = linalg.generic ins(%a) ... -> tensor<8xf32>
    ```
    Left alone: bodies with control flow, atomic accesses, products of matrices, prints and asserts; tiles whose boxes
    do not touch those of the next block, and stores to the same place in all blocks.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CpuPackOperands : Pass<"cpu-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "convert mma operands to the element type and order of the machine";
  let description = [{
    Where the plan says that `cpu.mma` multiplies pairs of bf16, or where it has a matrix unit, the right operand is packed
    by `cpu.pack_words`. If a loop computes it from tiles that lie in memory column by column, the loop runs along the
    columns as well, and packing transposes whole words. On vectors bytes are extended to pairs of 16-bit integers, which
    every machine multiplies and adds in one instruction. Other types without a multiply instruction are converted to the
    accumulator's type by a loop.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::tilewright::cpu::CpuDialect"];
}

def CpuSkipPadding : Pass<"cpu-skip-padding", "::mlir::func::FuncOp"> {
  let summary = "end loops along rows where only padding follows";
  let description = [{
    A loop along the contiguous dimension of its tiles ends where nothing behind is needed, and has `cpu.end`: its results
    are stored to views that end there, are read by such loops, or are reduced, and all elements behind are one value that
    the reduction does not change with. That value comes from the padding: the sum of e^(x - maximum) of -inf is one of
    0, or of NaN. One such element takes part, since NaN counts.

    The end is rounded up to a vector of the narrowest elements of the function: all that a loop reads was computed.

    Left alone: tiles that anything else reads, that a loop carries, and reductions of several results.
  }];
}

def CpuPlaceLoads : Pass<"cpu-place-loads", "::mlir::func::FuncOp"> {
  let summary = "bufferize loads and stores of views, in place where it is safe";
  let description = [{
    A tile loaded from a view becomes a strided buffer over the array itself if no store that may alias the array lies
    between the load and the last use of the tile. Otherwise the tile is copied into scratch. A stored tile is computed
    directly in the array if the loop that computes it reads nothing of the same array.

    At the edge of its array such a loop has `cpu.bounds`, and computes only what is stored. A tile that no other loop
    reads is then in place where its array has those elements: the blocks of a stencil copy nothing. Tiles of one array
    that begin a constant number of bytes apart have addresses that say so.

    ```
    %a = tileaa.load_view %x[%i]          scf.if %all_inside { linalg.generic ins(%x_whole) outs(%y_whole) }
    %b = linalg.generic ins(%a)      -->  else { %part = scf.if %has_box -> %x_whole, else a copy with padding
    tileaa.store_view %b, %y[%i]                 linalg.generic ins(%begin, %end, %part) outs(%y_whole) {cpu.bounds} }
    ```
    Where another tile may stick out of its array, and all loops on it run along its contiguous dimension, its buffer is
    a `cpu.edge`: they access what is inside by masks. The rest is copied at an edge, with padding outside the bounds.

    Two arrays are assumed not to alias if they come from different parameters of the kernel: a launch whose arguments
    overlap, one of them written, is refused. Tokens need no further attention: they never ask for more order than the
    program order gives.

    A loop that reads rows by a loaded tile of indices gets those of the next block along x as an input to prefetch by
    (`cpu.fetch`).

    The bounds of `cpu.mma` exclude padding: rows and columns beyond the array's edge and, where an operand is gathered
    and zero where a mask is false, rows beyond the last that the mask selects. Zero times anything counts as zero
    there, infinity included.

    Postcondition: no `tileaa` op on views or tokens is left. `cpu-verify-loads` checks that every tile read in place
    is still valid at its last use.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::tilewright::cpu::CpuDialect"];
}

def CpuVerifyLoads : Pass<"cpu-verify-loads", "::mlir::func::FuncOp"> {
  let summary = "verify that tiles read in place are not overwritten before use";
}

def CpuCarryInPlace : Pass<"cpu-carry-in-place", "::mlir::func::FuncOp"> {
  let summary = "bufferize loop-carried tiles, one scratch buffer each";
  let description = [{
    A tile that is an iteration argument of a loop, or a result of an `if`, moves into a buffer of its own, so that
    `scf` ops carry scalars only. The loop that computes the next value writes into that buffer directly where the old
    value is not needed afterwards. Otherwise the value is copied at the end of the iteration; tiles that are swapped
    use a temporary buffer.

    Postcondition: no `scf` op has a tensor operand or result (`cpu-verify-carried`).
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def CpuVerifyCarried : Pass<"cpu-verify-carried", "::mlir::func::FuncOp"> {
  let summary = "verify that control flow carries no tensors";
}

def CpuMergeDepth : Pass<"cpu-merge-depth", "::mlir::func::FuncOp"> {
  let summary = "merge the products of several iterations into one deeper mma";
  let description = [{
    In a loop whose only use of its accumulator is to add products to it, the packed operands of `depth` iterations
    (of the plan) are concatenated along K, and one `cpu.mma` multiplies them when `depth` iterations are complete or
    the loop ends. The accumulator is then read and written once per `depth` iterations.

    Left alone: products whose operands are read in place, whose accumulator has other uses in the loop, or whose
    bounds change from iteration to iteration.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::tilewright::cpu::CpuDialect"];
}

def CpuKeepTiles : Pass<"cpu-keep-tiles", "::mlir::func::FuncOp"> {
  let summary = "cache packed tiles for the next tile blocks of the same thread";
  let description = [{
    A buffer that an iteration fills from arrays alone, by packing or converting a tile, is enlarged to hold the tiles
    of many iterations (`kept_bytes` of the plan, shared by all such buffers). Its contents stay valid for the next
    tile block that the same thread runs in the same launch: if the scalars that selected the tile, its keys, are equal,
    the work is skipped. Loops with more iterations than the buffer holds cache the first ones.

    Keys and fill state are in the first bytes of scratch, which are zero when a thread begins a launch. A thread whose
    cached tiles are never used again stops caching until two consecutive tile blocks have the same keys.

    Left alone: arrays that the kernel may write, and tiles that depend on loop-carried values.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::tilewright::cpu::CpuDialect"];
}

def CpuAssignScratch : Pass<"cpu-assign-scratch", "::mlir::func::FuncOp"> {
  let summary = "assign every allocation an offset in the thread's scratch memory";
  let description = [{
    Buffers get offsets aligned to 64 bytes; two buffers whose live ranges do not overlap may share memory. The function
    gains an argument, the scratch memory, and the attribute `cpu.scratch_bytes`. Dynamic layouts and sizes are
    refused.

    ```
    func.func @k() {                               func.func @k(%scratch: i64) {
      %a = memref.alloc() : memref<8xf32>   -->      %address = arith.addi %scratch, %offset
                                                     %a = cpu.array %address, [], [] : memref<8xf32>
    ```
  }];
  let dependentDialects = ["::tilewright::cpu::CpuDialect"];
}

def CpuWidenBits : Pass<"cpu-widen-bits", "::mlir::ModuleOp"> {
  let summary = "make buffers of bits buffers of bytes";
  let description = [{
    A bit takes a byte in a buffer, but not in a vector. Loops read bytes and truncate them, and extend what they write:
    vectors of them are loaded and stored like those of other types.

    ```
    linalg.generic ins(%a : memref<64xi1>)         linalg.generic ins(%a : memref<64xi8>)
    ^bb0(%in: i1, ...)                        -->  ^bb0(%in: i8, ...)
                                                     %bit = arith.trunci %in : i8 to i1
    ```
    Arithmetic of bits becomes `and`, `or` and `xor`, and accumulators that are combined by these stay bytes.
    Postcondition: no buffer has elements of type `i1`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def CpuContractSums : Pass<"cpu-contract-sums", "::mlir::func::FuncOp"> {
  let summary = "let sums of exact products be fused multiply-adds";
  let description = [{
    A reduction by `arith.addf` whose element is a product gets the flag `contract` on both operations if the product is
    exact but for the range of its type: the significant bits of both factors, those of the narrow floats and integers
    that they are converted from, fit into it. Products of bf16, f16 or i8 in f32 are; those of f32 are left alone.
  }];
}

def CpuMicroTiles : Pass<"cpu-micro-tiles", "::mlir::func::FuncOp"> {
  let summary = "lower ops on buffers to loops over vectors of register size";
  let description = [{
    Each `linalg` op, `cpu.mma` and `cpu.scan` on buffers becomes a nest of `scf.for` loops whose body uses vectors no
    larger than the plan's register block. Elementwise loops and reductions run along the dimension that is contiguous
    in most buffers, transpositions work on square blocks, scans take log2 steps within a vector, and `mma` holds a
    register block of the accumulator across the k loop. Where a register is a cache line, loads of one array that begin
    less than a register apart share registers, as in stencils.

    Postcondition: no vector is larger than the register block (`cpu-verify-micro-tiles`).
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::amx::AMXDialect"];
}

def CpuVerifyMicroTiles : Pass<"cpu-verify-micro-tiles", "::mlir::func::FuncOp"> {
  let summary = "verify vector sizes, and that buffers are static and preallocated";
}

def CpuLowerTiles : Pass<"cpu-lower-tiles", "::mlir::func::FuncOp"> {
  let summary = "lower tiles of the matrix unit to its intrinsics";
  let description = [{
    Operations on `!amx.tile` become calls of LLVM's intrinsics, and loops carry the tiles as `!llvm.x86_amx`, for which
    LLVM chooses registers and configures the unit. Where the plan's `mma_unit` is `amx_model` they become loops, and the
    tiles buffers on the stack: the same results on any machine, but for subnormals, which the unit takes as zero.

    ```
    %t = amx.tile_mulf %a, %b, %sums : ... -->  %t = llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(...)
    ```
    Postcondition: no `amx` op and no `!amx.tile` is left.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def CpuExpandMath : Pass<"cpu-expand-math", "::mlir::func::FuncOp"> {
  let summary = "expand transcendental functions to polynomials";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def CpuPlaceGlobals : Pass<"cpu-place-globals", "::mlir::ModuleOp"> {
  let summary = "lower globals to LLVM globals of bytes";
  let description = [{
    Public globals become symbols of the object. All lie in writable memory, constant ones too: a wrong program must not
    raise a signal.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuDeclineHints : Pass<"cpu-decline-hints", "::mlir::ModuleOp"> {
  let summary = "answer hints about features of GPUs";
  let description = [{
    Each hint of a kernel or an access is answered by a remark that says why nothing follows it, and removed.
    Precondition: the hints are those of one target (tileaa-choose-hints).
  }];
}

def CpuCheckAllocas : Pass<"cpu-check-allocas", "::mlir::func::FuncOp"> {
  let summary = "refuse allocas whose memory is live across loop iterations";
  let description = [{
    A `tileaa.alloca` becomes one offset in scratch, so all iterations of a loop share its memory. That is correct only
    where no iteration accesses the memory of another: an address that is carried to the next iteration, leaves the loop
    or is stored to memory is reported.
  }];
}

def CpuHostCalls : Pass<"cpu-host-calls", "::mlir::ModuleOp"> {
  let summary = "lower print and assert to calls of the runtime";
  let description = [{ Each kernel gains an argument, the runtime's context, which is passed to the calls. }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def CpuArraysToLLVM : Pass<"cpu-arrays-to-llvm", "::mlir::func::FuncOp"> {
  let summary = "lower arrays to memref descriptors";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuBfloatBits : Pass<"cpu-bfloat-bits", "::mlir::ModuleOp"> {
  let summary = "move bf16 values as 16-bit integers";
  let description = [{
    LLVM promotes a bf16 value that is live across basic blocks to f32 and rounds it back by `vcvtneps2bf16`, which
    flushes subnormals to zero. Operations that only move values (loads, stores, selects, shuffles, block arguments,
    constants) therefore use the bits as i16, and operations that compute with them are surrounded by bitcasts.

    ```
    llvm.br ^loop(%x : bf16)     -->     llvm.br ^loop(%x : i16)
    ```

    Precondition: the module is in the llvm dialect. Postcondition: no block argument is of bf16.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuKernelEntry : Pass<"cpu-kernel-entry", "::mlir::ModuleOp"> {
  let summary = "wrap each kernel in a function that runs a range of tile blocks";
  let description = [{
    The function has the kernel's name and the C signature
    `(void **args, int64 gridX, gridY, gridZ, firstBlock, lastBlock, char *scratch, void *context)`; tile blocks are
    numbered with x fastest. The kernel's body is inlined into the loop over tile blocks. Where it has instructions of
    the matrix unit, the function first asks Linux for the unit's registers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

#endif
