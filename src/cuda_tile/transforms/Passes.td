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

def CudaTileOrderMemory : Pass<"cuda-tile-order-memory", "::tilewright::cuda_tile::EntryOp"> {
  let summary = "add tokens that order accesses of parameters in program order";
  let description = [{
    Only tokens order accesses, and a front end writes none between arrays that it takes to be distinct. This pass
    writes those that make the order of the program hold within a block: a read comes after the last write before it,
    a write after all accesses before it. Tokens that are there stay.

    ```mlir
    %a, %0 = load_ptr_tko weak %p                 %t = make_token
    %1 = store_ptr_tko weak %p, %b         -->    %a, %0 = load_ptr_tko weak %p token = %t
                                                  %all = join_tokens %t, %0
                                                  %1 = store_ptr_tko weak %p, %b token = %all
    ```

    Loops carry the two tokens, and branches yield them, if an access lies inside. A load or store that is not weak,
    and an atomic, count as writes.

    Left alone: accesses whose address comes from other parameters, globals or allocas only. An address that control
    flow passes on, that was loaded, or made from an integer, may be that of any memory.
  }];
  let options = [ListOption<"parameters", "parameters", "int64_t", "numbers of the parameters">];
}

def CudaTileUnifyParameters : Pass<"cuda-tile-unify-parameters", "::tilewright::cuda_tile::EntryOp"> {
  let summary = "replace parameters of the same address by the first of them";
  let description = [{
    Passes distinguish arrays by the parameters that their addresses come from. A launch that passes one array several
    times needs code in which it is one parameter. The option `first` has for each parameter the number of the first
    one of that address, which is its own unless it is the same memory. `first=0,0`:

    ```mlir
    entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<i32>>) {         %p = ptr_to_ptr %a
      %0 = store_ptr_tko weak %b, %x                    -->    %0 = store_ptr_tko weak %p, %x token = %t
    ```

    The parameters stay, without uses. Accesses of that memory are ordered as by `cuda-tile-order-memory`.
  }];
  let options = [ListOption<"first", "first", "int64_t", "the first parameter with the address of each">];
}

#endif
