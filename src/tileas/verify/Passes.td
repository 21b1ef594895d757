// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_VERIFY_PASSES
#define TILEWRIGHT_TILEAS_VERIFY_PASSES

include "mlir/Pass/PassBase.td"

def VerifyTileas : Pass<"verify-tileas", "::mlir::func::FuncOp"> {
  let summary = "refuse functions that cannot be lowered to registers or would hang";
  let description = [{
    Runs before tileas-to-nvvm, changes nothing, and reports every operation that breaks a rule, with the rule's name. Such a function is an error of the compiler, or of hand-written `tileas`: what a program
    may not do is refused earlier.

    ```
    error: 'tileas.read' op breaks the rule 'barrier': depends on an access of other threads without a barrier between them
    ```

    | rule | holds if |
    |---|---|
    | `legal-operation` | the lowering to registers has a form for each operation |
    | `tile-layout` | each tile has a layout for the lanes and warps of its agent that holds every element |
    | `equal-layouts` | tiles of an elementwise operation or of an access by addresses have one layout |
    | `in-thread` | operations on shapes find the elements of each register in the same thread |
    | `in-warp` | reductions, scans and layout conversions move elements inside of warps only |
    | `read-part` | a buffer of which a part is read is stored row by row |
    | `atomic` | an instruction does the atomic |
    | `product-atom` | the architecture has the instruction |
    | `product-type` | the instruction multiplies elements of that type |
    | `product-accumulator` | the accumulator has the layout of the atom |
    | `product-operand` | operands have the layout, or the descriptor, that the accumulator needs |
    | `product-wait` | an asynchronous product has sums of 32 bits |
    | `tmem-access` | the tile has the layout of an access to tensor memory |
    | `memory-place` | each buffer, pipeline and mbarrier has a place within `tileas.shared_bytes` |
    | `memory-overlap` | no two of them have the same bytes at the same time |
    | `memory-limit` | the bytes are no more than the architecture has |
    | `tmem-columns` | there are enough columns of tensor memory, and each allocation is freed once |
    | `threads` | warps, agents and launched threads agree, and are no more than a CTA has |
    | `registers` | whole warpgroups redistribute registers, on an architecture that can |
    | `named-barriers` | barriers of warpgroups are no more than a CTA has |
    | `mbarrier-arrivals` | as many consumers release a stage as its mbarrier waits for |
    | `agents` | nothing follows the agents, and a producer only starts copies |
    | `pipeline-side` | each operation of a pipeline stands in the agent that it is of |
    | `pipeline-balance` | on every path acquire and commit alternate, and wait and release |
    | `pipeline-stage` | a stage is filled once between acquire and commit, and read between wait and release |
    | `pipeline-rounds` | both sides go through the same number of stages, as far as that is known |
    | `barrier` | a barrier lies between dependent accesses of shared or tensor memory by different threads |
    | `global-order` | a barrier lies between accesses to global memory that tokens or orderings put one after another |
    | `asynchronous-read` | a buffer is written, and the kernel ends, after copies and products that read it were waited for |
    | `asynchronous-copy` | copies of threads are committed, and waited for before a stage is read |

    If one of the first three is broken, the others are not checked: they compute with layouts. Precondition: buffers
    have offsets (tileas-allocate-shared) and barriers stand between accesses (tileas-insert-barriers).
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
}

#endif
