// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_MEMORY_PASSES
#define TILEWRIGHT_TILEAS_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

def TileasAllocateShared : Pass<"tileas-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "buffers get their places in shared memory";
  let description = [{
    Every `tileas.alloc` gets its `offset` and every `tileaa.alloca` the attribute `tileas.offset`, in bytes from the
    beginning of the block's shared memory; the function gets the bytes of all in `tileas.shared_bytes`. Two buffers
    share memory unless both are needed at the same time: a buffer is, from its first access to its last one, through
    whole loops where it was made before them. Where memory that others had is written, tileas-insert-barriers makes
    threads wait.

    A buffer begins at a multiple of 128 bytes, one that the tensor memory accelerator or a product accesses at a
    multiple of 1024. More than the architecture has is an error of the program.

    ```
    %a = tileas.alloc : ...  // 4 KB      -->   %a = tileas.alloc at 0 : ...
    tileas.write %x, %a                         ...
    %y = tileas.read %a                         ...
    %b = tileas.alloc : ...                     %b = tileas.alloc at 0 : ...
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
}

def TileasInsertBarriers : Pass<"tileas-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "threads wait where one accesses what another did";
  let description = [{
    Puts a `tileas.barrier` before an access that has to come after one of other threads, where none stands between:

    - of buffers whose bytes overlap, if one of the two writes, unless both are stages of one pipeline, whose waits order them;
    - of global memory, if one of the two writes and the later comes after the earlier by its token, unless each thread
      meets its own elements only: the same box of the same view, in the same layout without copies;
    - before an access with `release`, of any global memory that was accessed before it; after one with `acquire`, of
      any that is accessed then. A fence is both.

    Iterations of a loop follow each other, and sides of a branch do not. Before it buffers have their places
    (tileas-allocate-shared).

    ```
    tileas.write %x, %b         -->    tileas.write %x, %b
    %y = tileas.read %b                tileas.barrier
                                       %y = tileas.read %b
    ```
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
