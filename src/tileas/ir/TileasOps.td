// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_IR_OPS
#define TILEWRIGHT_TILEAS_IR_OPS

include "tileas/ir/TileasDialect.td"
include "tileaa/ir/TileaaDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tileas_Op<string mnemonic, list<Trait> traits = []> : Op<Tileas_Dialect, mnemonic, traits>;

//===-- layouts -----------------------------------------------------------===//

def ConvertLayoutOp : Tileas_Op<"convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "convert a tile to another layout";
  let description = [{
    The only operation that moves values between warps. `layout::chooseConversion` chooses how: by register moves,
    warp shuffles or shared memory.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def SplitWarpsOp : Tileas_Op<"split_warps", [Pure]> {
  let summary = "reshape a dimension into warps and the part of each warp";
  let description = [{
    Where the warps share the work along dimension `dim` of extent N, and w warps differ in it, the result has
    dimensions of extents w and N/w instead: element (i, j) of the two is the j-th of those that the i-th of these
    warps holds. No value moves. The order of the elements is that of the layout, so the result may be used only by
    operations that do not depend on order:

    ```
    %r = tileaa.reduce %x along 0 : tensor<1024xf32, #x>          %s = tileas.split_warps %x along 0 -> tensor<4x256xf32, #s>
                                                           -->    %p = tileaa.reduce %s along 1 -> tensor<4xf32, #p>
                                                                  %c = tileas.convert_layout %p -> tensor<4xf32, #c>
                                                                  %r = tileaa.reduce %c along 0
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, I64Attr:$dim);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `along` $dim attr-dict `:` type($source) `->` type($result)";
}

//===-- the grid ----------------------------------------------------------===//

def MultiprocessorsOp : Tileas_Op<"multiprocessors", [Pure]> {
  let summary = "an upper bound of the number of multiprocessors of the GPU";
  let results = (outs I32:$count);
  let assemblyFormat = "attr-dict";
}

def ClusterOp : Tileas_Op<"cluster", [Pure]> {
  let summary = "the place of a CTA among clusters along x";
  let description = [{
    The number of its cluster, how many clusters are launched, and the number of the CTA in its cluster (`rank`), below
    the `cluster` of `#tileas.cta`.
  }];
  let results = (outs I32:$number, I32:$count, I32:$rank);
  let assemblyFormat = "attr-dict";
}

//===-- shared memory -----------------------------------------------------===//

// A buffer is written and read by all threads of the CTA. tileas-insert-barriers inserts a barrier between two accesses
// of which one writes.
def Tileas_Shared : Resource<"::tilewright::tileas::SharedMemory">;

def AllocOp : Tileas_Op<"alloc", [MemoryEffects<[MemAlloc<Tileas_Shared>]>]> {
  let summary = "allocate a buffer in shared memory";
  let description = [{
    `offset` is its offset in bytes, once tileas-allocate-shared has assigned one.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tileas_BufferType:$buffer);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($buffer)";
}

def WriteOp : Tileas_Op<"write", [MemoryEffects<[MemWrite<Tileas_Shared>]>]> {
  let summary = "write a tile to a buffer in shared memory";
  let arguments = (ins AnyStaticShapeTensor:$tile, Tileas_BufferType:$buffer);
  let assemblyFormat = "$tile `,` $buffer attr-dict `:` type($tile) `,` type($buffer)";
  let hasVerifier = 1;
}

def ReadOp : Tileas_Op<"read", [MemoryEffects<[MemRead<Tileas_Shared>]>]> {
  let summary = "read a tile from a buffer in shared memory";
  let description = [{
    `offsets`, in elements, select a slice of the buffer; without them the tile begins at its first element.
  }];
  let arguments = (ins Tileas_BufferType:$buffer, Variadic<Index>:$offsets);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = "$buffer (`[` $offsets^ `]`)? attr-dict `:` type($buffer) `->` type($tile)";
}

def BarrierOp : Tileas_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "synchronize all threads of the CTA and make their writes visible";
  let assemblyFormat = "attr-dict";
}

//===-- products ----------------------------------------------------------===//

def Tileas_Operand : AnyTypeOf<[AnyStaticShapeTensor, Tileas_BufferType]>;

def MmaOp : Tileas_Op<"mma", [AllTypesMatch<["acc", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix multiply-accumulate, acc + lhs @ rhs, by an atom";
  let description = [{
    A `tileaa.mma` for which an instruction has been selected. The accumulator's layout determines the part that
    each warp computes, and `operandLayout` (MmaAtom.h) the elements of the operands that each thread needs for it:
    an operand in registers has that layout. An operand in a buffer is read by the instruction; `fma` takes both
    from buffers.

    ```
    %d = tileas.mma <mma_sync m16n8k16> %a, %b, %c : tensor<64x32xbf16, #a>, !tileas.buffer<32x64xbf16, #b>, tensor<64x64xf32, #c>
    ```

    A product with `running`, by `wgmma` only, is asynchronous. Its result is the accumulator of another such
    product, or the operand of an `mma_wait`, and its buffers must not be written until it has completed
    (`mma_wait`, `async_wait`).
  }];
  let arguments = (ins Tileas_AtomAttr:$atom, Tileas_Operand:$lhs, Tileas_Operand:$rhs, AnyStaticShapeTensor:$acc,
                       UnitAttr:$unsignedLhs, UnitAttr:$unsignedRhs, OptionalAttr<TypeAttr>:$format, UnitAttr:$fastAcc,
                       UnitAttr:$running);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$atom $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)";
  let hasVerifier = 1;
}

def MmaWaitOp : Tileas_Op<"mma_wait", [AllTypesMatch<["running", "result"]>, MemoryEffects<[MemRead<Tileas_Shared>]>]> {
  let summary = "wait for the result of an asynchronous mma";
  let description = [{
    Waits until all products of the warpgroup but the newest `pending` have completed.
  }];
  let arguments = (ins AnyStaticShapeTensor:$running, DefaultValuedAttr<I64Attr, "0">:$pending);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$running (`but` $pending^)? attr-dict `:` type($running)";
}

#endif
