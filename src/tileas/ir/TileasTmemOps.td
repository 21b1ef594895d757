// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators in tensor memory, and the products that are added up there.
#ifndef TILEWRIGHT_TILEAS_IR_TMEMOPS
#define TILEWRIGHT_TILEAS_IR_TMEMOPS

include "tileas/ir/TileasAsyncOps.td"

def Tileas_TensorMemory : Resource<"::tilewright::tileas::TensorMemory">;

def Tileas_TmemType : Tileas_Type<"Tmem", "tmem"> {
  let summary = "a tile in tensor memory";
  let description = [{
    The layout is from `row` (the ISA's lane) and `column` to the tile. A column has 32 bits of each row; elements are of
    that size.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::tilewright::tileas::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What is taken for it: a power of two, at least 32.
    int64_t getColumns() const;
  }];
}

// The memory is written by whole products and by warps, of which each reaches a quarter of the rows. Products end some
// time after they have been started; `tmem_wait` is where they have. Between accesses of which one writes stands a
// barrier, or, after a product, that wait.

def TmemAllocOp : Tileas_Op<"tmem_alloc", [MemoryEffects<[MemAlloc<Tileas_TensorMemory>, MemAlloc<Tileas_Shared>]>]> {
  let summary = "takes tensor memory for a tile, which `tmem_dealloc` gives back";
  let description = [{
    The block waits until others have left as many columns. All of a function stand at its beginning, one after another.
    `offset` is the place of 16 bytes of shared memory once they have one: a barrier for products' ends, and the address.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tileas_TmemType:$tmem);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($tmem)";
}

def TmemDeallocOp : Tileas_Op<"tmem_dealloc", [MemoryEffects<[MemFree<Tileas_TensorMemory>, MemRead<Tileas_Shared>]>]> {
  let summary = "gives tensor memory back, when all threads have come here";
  let arguments = (ins Tileas_TmemType:$tmem);
  let assemblyFormat = "$tmem attr-dict `:` type($tmem)";
}

def TmemStoreOp : Tileas_Op<"tmem_store", [MemoryEffects<[MemWrite<Tileas_TensorMemory>]>]> {
  let summary = "a tile from registers into tensor memory";
  let arguments = (ins AnyStaticShapeTensor:$tile, Tileas_TmemType:$tmem);
  let assemblyFormat = "$tile `,` $tmem attr-dict `:` type($tile) `,` type($tmem)";
  let hasVerifier = 1;
}

def TmemLoadOp : Tileas_Op<"tmem_load", [MemoryEffects<[MemRead<Tileas_TensorMemory>]>]> {
  let summary = "a tile from tensor memory into registers";
  let arguments = (ins Tileas_TmemType:$tmem);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = "$tmem attr-dict `:` type($tmem) `->` type($tile)";
  let hasVerifier = 1;
}

def TmemMmaOp : Tileas_Op<"tmem_mma", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "starts acc = lhs @ rhs, or acc += lhs @ rhs if `accumulates` holds, in tensor memory";
  let description = [{
    `mma` by the atom `tcgen05`, started by one thread. Products are done in the order in which they are started.

    ```
    tileas.tmem_mma <tcgen05 m128n256k16> %a, %b, %t if %later : !tileas.buffer<128x64xf16, #a>, ...
    ```

    All threads wait for its end, unless it is left `running`: then its buffers stay as they are until a `tmem_wait`, or
    until the stages of a pipeline `byOne` that they are in have been released.
  }];
  let arguments = (ins Tileas_AtomAttr:$atom, Tileas_BufferType:$lhs, Tileas_BufferType:$rhs, Tileas_TmemType:$acc,
                       I1:$accumulates, UnitAttr:$unsignedLhs, UnitAttr:$unsignedRhs, OptionalAttr<TypeAttr>:$format,
                       UnitAttr:$running);
  let assemblyFormat = [{
    $atom $lhs `,` $rhs `,` $acc `if` $accumulates attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def TmemWaitOp : Tileas_Op<"tmem_wait", [MemoryEffects<[MemRead<Tileas_Shared>, MemRead<Tileas_TensorMemory>,
                                                         MemWrite<Tileas_TensorMemory>]>]> {
  let summary = "waits until all products have ended that were started until here";
  let arguments = (ins Tileas_TmemType:$acc);
  let assemblyFormat = "$acc attr-dict `:` type($acc)";
}

#endif
