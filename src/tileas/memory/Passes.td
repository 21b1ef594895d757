// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_MEMORY_PASSES
#define TILEWRIGHT_TILEAS_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

def TileasAllocateShared : Pass<"tileas-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "assign offsets in shared memory to buffers";
  let description = [{
    Every `tileas.alloc` and every `tileaa.alloca` gets an `offset`, in bytes from the
    begin of the CTA's shared memory. The function gets the total, `shared_bytes` in `tileas.cta`. Two buffers share memory
    unless their live ranges overlap. A live range extends from the first access to the last, and over a whole loop
    if the buffer was allocated before it. Where memory is reused, tileas-insert-barriers synchronizes the threads.

    Buffers are aligned to 128 bytes, those that TMA or a product accesses to 1024. A total above the architecture's
    limit is reported as an error of the program.

    ```
    %a = tileas.alloc : ...  // 4 KB      -->   %a = tileas.alloc at 0 : ...
    tileas.write %x, %a                         ...
    %y = tileas.read %a                         ...
    %b = tileas.alloc : ...                     %b = tileas.alloc at 0 : ...
    ```
  }];
}

def TileasInsertBarriers : Pass<"tileas-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "insert barriers between dependent accesses of different threads";
  let description = [{
    Inserts a `tileas.barrier` before an access that depends on an access of other threads, unless a barrier already
    lies between them. Two accesses depend on each other if:

    - they access buffers whose bytes overlap, and one of them writes, unless both are stages of one pipeline, which
      its waits order;
    - they access global memory, one of them writes, and the token of the later orders it after the earlier, unless
      each thread accesses only its own elements: the same box of the same view, in the same layout without
      replicas;
    - the later is a `release`, after any access of global memory, or the earlier is an `acquire`, before any. A
      fence is both.

    Accesses of consecutive iterations of a loop are ordered; the two regions of a branch are not.

    ```
    tileas.write %x, %b         -->    tileas.write %x, %b
    %y = tileas.read %b                tileas.barrier
                                       %y = tileas.read %b
    ```
    Precondition: buffers have offsets (tileas-allocate-shared).
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasInsertRecords : Pass<"tileas-insert-records", "::mlir::func::FuncOp"> {
  let summary = "have agents note what they do when";
  let description = [{
    A kernel gets two more parameters, before its tensor maps: the address of the memory for records, and how many each
    agent has room for. A `tileas.record` stands where an agent begins something else than before: to wait, to copy, to
    multiply, to store, to work on tiles, or the next tile block of a persistent kernel. The words of records are
    `tileas.record_sites` of the function, and the agents `tileas.record_tracks`: each warpgroup of the consumers, or of
    a kernel without agents, and the producer.

    ```
    scf.for ... {                        scf.for ... {
      tileas.consumer_wait %p              tileas.record %c0_i32 into %buffer, %capacity by 0, 2 of 3
      %s = tileas.mma %a, %b, %acc  -->    tileas.consumer_wait %p
      tileas.consumer_release %p           tileas.record %c1_i32 into %buffer, %capacity by 0, 2 of 3
    }                                      %s = tileas.mma %a, %b, %acc
                                           tileas.consumer_release %p
                                         }
    ```
    Operations on scalars count as part of what is before them. Nothing else is changed or moved. A module for the launch
    ABI `portable`, whose kernels have no such parameters, is refused.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect"];
}

#endif
