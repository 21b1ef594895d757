// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_TRANSFORMS_PASSES
#define TILEWRIGHT_CUDA_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def CudaTileSynthesizeDebugInfoScopes
    : Pass<"cuda-tile-synthesize-debug-info-scopes", "::tilewright::cuda_tile::ModuleOp"> {
  let summary = "attach debug info scopes to locations, as the bytecode format has them";
  let description = [{
    Bytecode has a source location only inside of a function's scope, and compilers expect the scope of an entry
    under the entry's own name. Before:

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

    Both ends of a call site get that scope. An entry without a location gets that of its first operation with one.

    Left alone: locations with a scope, and modules in which every location has a scope or none has a location.
  }];
}

#endif
