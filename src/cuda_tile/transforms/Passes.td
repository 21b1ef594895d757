// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_TRANSFORMS_PASSES
#define TILEWRIGHT_CUDA_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def CudaTileSynthesizeDebugInfoScopes
    : Pass<"cuda-tile-synthesize-debug-info-scopes", "::tilewright::cuda_tile::ModuleOp"> {
  let summary = "puts places in files into scopes, as bytecode has them";
  let description = [{
    Bytecode knows a place only inside of a function of the source, and compilers want that of an entry under the
    entry's own name. Before:

    ```mlir
    entry @k() {
      return loc("k.py":3:5)
    } loc("k.py":2:1)
    ```

    After, `#k` is a `di_subprogram` of line 2 of k.py whose linkage name is "k":

    ```mlir
    entry @k() {
      return loc(#cuda_tile.di_loc<loc("k.py":3:5) in #k>)
    } loc(#cuda_tile.di_loc<loc("k.py":2:1) in #k>)
    ```

    Both ends of a call become places in that scope. Locations with a scope stay, and where all have one or none
    has a place, nothing changes; else an entry without a place gets that of its first operation with one.
  }];
}

#endif
