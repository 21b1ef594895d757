// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators in tensor memory, and the products that accumulate there.
#ifndef TILEWRIGHT_TILEAS_IR_TMEMOPS
#define TILEWRIGHT_TILEAS_IR_TMEMOPS

include "tileas/ir/TileasAsyncOps.td"

def Tileas_TensorMemory : Resource<"::tilewright::tileas::TensorMemory">;

def Tileas_TmemType : Tileas_Type<"Tmem", "tmem"> {
  let summary = "a tile in tensor memory";
  let description = [{
    The layout maps `row` (the ISA's lane) and `column` to the tile. A column has 32 bits of each row, the size of an
    element.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::tilewright::tileas::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of columns to allocate: a power of two, at least 32.
    int64_t getColumns() const;
  }];
}

// Tensor memory is written by products and by warps, each of which can access a quarter of the rows. Products are
// asynchronous until a `tmem_wait`. Between two accesses of which one writes there is a barrier or, after a product, that
// wait.

def TmemAllocOp : Tileas_Op<"tmem_alloc", [MemoryEffects<[MemAlloc<Tileas_TensorMemory>, MemAlloc<Tileas_Shared>]>]> {
  let summary = "allocate tensor memory for a tile, until `tmem_dealloc`";
  let description = [{
    The CTA waits until others have freed enough columns. All allocations of a function are consecutive at its
    begin. `offset` is the offset of 16 bytes of shared memory, once assigned: the mbarrier that completed products
    arrive at, and the address of the allocation.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tileas_TmemType:$tmem);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($tmem)";
}

def TmemDeallocOp : Tileas_Op<"tmem_dealloc", [MemoryEffects<[MemFree<Tileas_TensorMemory>, MemRead<Tileas_Shared>]>]> {
  let summary = "free tensor memory once all threads have reached it";
  let arguments = (ins Tileas_TmemType:$tmem);
  let assemblyFormat = "$tmem attr-dict `:` type($tmem)";
}

def TmemStoreOp : Tileas_Op<"tmem_store", [MemoryEffects<[MemWrite<Tileas_TensorMemory>]>]> {
  let summary = "store a tile from registers to tensor memory";
  let arguments = (ins AnyStaticShapeTensor:$tile, Tileas_TmemType:$tmem);
  let assemblyFormat = "$tile `,` $tmem attr-dict `:` type($tile) `,` type($tmem)";
  let hasVerifier = 1;
}

def TmemLoadOp : Tileas_Op<"tmem_load", [MemoryEffects<[MemRead<Tileas_TensorMemory>]>]> {
  let summary = "load a tile from tensor memory to registers";
  let arguments = (ins Tileas_TmemType:$tmem);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = "$tmem attr-dict `:` type($tmem) `->` type($tile)";
  let hasVerifier = 1;
}

def TmemMmaOp : Tileas_Op<"tmem_mma", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "start a matrix multiply-accumulate in tensor memory";
  let description = [{
    Computes acc += lhs @ rhs, or acc = lhs @ rhs if `accumulates` is false, by the atom `tcgen05`; one thread
    starts it. Products complete in the order in which they are started.

    ```
    tileas.tmem_mma <tcgen05 m128n256k16> %a, %b, %t if %later : !tileas.buffer<128x64xf16, #a>, ...
    ```

    All threads wait until it has completed. With `running` it is asynchronous: its buffers must not be written
    until a `tmem_wait`, or until the stages of a pipeline `byOne` that hold them have been released.
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
  let summary = "wait until all products started before it have completed";
  let arguments = (ins Tileas_TmemType:$acc);
  let assemblyFormat = "$acc attr-dict `:` type($acc)";
}

#endif
