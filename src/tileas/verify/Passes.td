// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_VERIFY_PASSES
#define TILEWRIGHT_TILEAS_VERIFY_PASSES

include "mlir/Pass/PassBase.td"

def VerifyTileas : Pass<"verify-tileas", "::mlir::func::FuncOp"> {
  let summary = "refuse functions that cannot be lowered to registers or would hang";
  let description = [{
    Runs before tileas-to-nvvm, changes nothing, and reports every operation that breaks a rule, with the rule's name.
    Such a function is an error of the compiler, or of hand-written `tileas`: errors of programs are reported earlier.

    ```
    error: 'tileas.read' op breaks the rule 'barrier': depends on an access of other threads without a barrier between them
    ```

    | rule | holds if |
    |---|---|
    | `legal-operation` | the lowering to registers supports each operation |
    | `tile-layout` | each tile has a layout over the lanes and warps of its agent that covers every element |
    | `equal-layouts` | tiles of an elementwise operation or of an access by addresses have the same layout |
    | `in-thread` | the elements of each register of a shape operation are in the same thread |
    | `in-warp` | reductions, scans and layout conversions exchange elements within warps only |
    | `read-part` | a buffer of which a part is read is stored in row-major order |
    | `atomic` | the architecture has an instruction for the atomic |
    | `product-atom` | the architecture has the instruction |
    | `product-type` | the instruction multiplies elements of that type |
    | `product-accumulator` | the accumulator has the layout of the atom |
    | `product-operand` | operands have the layout, or the descriptor, that the accumulator requires |
    | `product-wait` | an asynchronous product has an accumulator of 32 bits |
    | `tmem-access` | the tile has the layout of an access to tensor memory |
    | `memory-place` | each buffer, pipeline and mbarrier has an offset within `shared_bytes` of `tileas.cta` |
    | `memory-overlap` | no two of them are live in the same bytes |
    | `memory-limit` | the bytes do not exceed the architecture's limit |
    | `tmem-columns` | the columns of tensor memory suffice, and each allocation is freed once |
    | `threads` | warps, agents and launched threads agree, and do not exceed the limit of a CTA |
    | `registers` | whole warpgroups redistribute registers, on an architecture with setmaxnreg |
    | `register-file` | the registers of the threads of all agents do not exceed those with which the CTA is launched |
    | `named-barriers` | barriers of warpgroups do not exceed those of a CTA |
    | `mbarrier-arrivals` | the consumers that release a stage are as many as its mbarrier expects |
    | `agents` | the agents are the last operation, and a producer only starts copies |
    | `pipeline-side` | each operation of a pipeline is in the agent of its role |
    | `pipeline-balance` | on every path acquire and commit alternate, and wait and release |
    | `pipeline-stage` | a stage is filled once between acquire and commit, and read between wait and release |
    | `pipeline-state` | each operation of an agent has the state that the path to it leaves |
    | `pipeline-rounds` | both sides go through the same number of stages, as far as that is known |
    | `cluster` | CTAs of a cluster share copies into pipelines of the cluster, equal parts of them; consumers of two CTAs add up tiles |
    | `cluster-rounds` | all CTAs of a cluster come to an operation of such a pipeline, and to a sum, equally often |
    | `barrier` | a barrier lies between dependent accesses of shared or tensor memory by different threads |
    | `global-order` | a barrier lies between accesses to global memory that tokens or orderings put one after another |
    | `asynchronous-read` | a buffer is written, and the kernel ends, after copies and products that read it were waited for |
    | `asynchronous-copy` | copies of threads are committed, and their group has completed before a stage is read; a stage is filled again behind a wait |

    If one of the first three is broken, the others, which compute with layouts, are not checked. Precondition: buffers
    have offsets (tileas-allocate-shared), barriers are inserted (tileas-insert-barriers), and agents carry the states
    of pipelines (tileas-carry-pipeline-state).
  }];
}

#endif
