// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_IR_OPS
#define TILEWRIGHT_TILEAS_IR_OPS

include "tileas/ir/TileasDialect.td"
include "tileaa/ir/TileaaDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tileas_Op<string mnemonic, list<Trait> traits = []> : Op<Tileas_Dialect, mnemonic, traits>;

//===-- layouts -----------------------------------------------------------===//

def ConvertLayoutOp : Tileas_Op<"convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tile, held otherwise";
  let description = [{
    The one operation by which values get from warp to warp. How they travel (registers, shuffles, shared memory) is
    `layout::planConversion`'s to say.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def SplitWarpsOp : Tileas_Op<"split_warps", [Pure]> {
  let summary = "gives each warp's part of a dimension a place of its own";
  let description = [{
    Where the warps share the work along dimension `dim` of extent N, and w warps differ in it, the result has
    extents w and N/w in its place: element (i, j) of the two is the j-th of those that the i-th of these warps holds.
    No value moves. The order of the elements is that of the layout, so only what does not depend on order may be done
    with the result:

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
  let summary = "how many multiprocessors the GPU has, or some more";
  let results = (outs I32:$count);
  let assemblyFormat = "attr-dict";
}

//===-- shared memory -----------------------------------------------------===//

// A buffer is written and read by all threads of the block. Between accesses of which one writes stands a barrier,
// which tileas-insert-barriers puts there.
def Tileas_Shared : Resource<"::tilewright::tileas::SharedMemory">;

def AllocOp : Tileas_Op<"alloc", [MemoryEffects<[MemAlloc<Tileas_Shared>]>]> {
  let summary = "a buffer in shared memory; `offset` is its place in bytes once it has one";
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tileas_BufferType:$buffer);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($buffer)";
}

def WriteOp : Tileas_Op<"write", [MemoryEffects<[MemWrite<Tileas_Shared>]>]> {
  let summary = "a tile into a buffer";
  let arguments = (ins AnyStaticShapeTensor:$tile, Tileas_BufferType:$buffer);
  let assemblyFormat = "$tile `,` $buffer attr-dict `:` type($tile) `,` type($buffer)";
  let hasVerifier = 1;
}

def ReadOp : Tileas_Op<"read", [MemoryEffects<[MemRead<Tileas_Shared>]>]> {
  let summary = "the part of a buffer that begins at `offsets`, counted in elements; without them at the first element";
  let arguments = (ins Tileas_BufferType:$buffer, Variadic<Index>:$offsets);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = "$buffer (`[` $offsets^ `]`)? attr-dict `:` type($buffer) `->` type($tile)";
}

def BarrierOp : Tileas_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block wait for each other, and see what the others wrote before";
  let assemblyFormat = "attr-dict";
}

//===-- products ----------------------------------------------------------===//

def Tileas_Operand : AnyTypeOf<[AnyStaticShapeTensor, Tileas_BufferType]>;

def MmaOp : Tileas_Op<"mma", [AllTypesMatch<["acc", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "acc + lhs @ rhs, by an atom";
  let description = [{
    `tileaa.mma`, of which it is decided how. The accumulator's layout says which warp computes what; what each thread
    needs of the operands for that is `operandLayout`'s to say (MmaAtom.h), and an operand that is a tile has that
    layout. An operand in a buffer is read as it is needed; `fma` takes both from buffers.

    ```
    %d = tileas.mma <mma_sync m16n8k16> %a, %b, %c : tensor<64x32xbf16, #a>, !tileas.buffer<32x64xbf16, #b>, tensor<64x64xf32, #c>
    ```

    One that is left `running` does not wait for its own end, by `wgmma` only. Its result is the sum of another such product, or
    has to be waited for (`mma_wait`); its buffers stay as they are until it has ended (`async_wait`).
  }];
  let arguments = (ins Tileas_AtomAttr:$atom, Tileas_Operand:$lhs, Tileas_Operand:$rhs, AnyStaticShapeTensor:$acc,
                       UnitAttr:$unsignedLhs, UnitAttr:$unsignedRhs, OptionalAttr<TypeAttr>:$format, UnitAttr:$fastAcc,
                       UnitAttr:$running);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$atom $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)";
  let hasVerifier = 1;
}

def MmaWaitOp : Tileas_Op<"mma_wait", [AllTypesMatch<["running", "result"]>, MemoryEffects<[MemRead<Tileas_Shared>]>]> {
  let summary = "the result of a product that was left running, when all of the warpgroup's but the newest `pending` have ended";
  let arguments = (ins AnyStaticShapeTensor:$running, DefaultValuedAttr<I64Attr, "0">:$pending);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$running (`but` $pending^)? attr-dict `:` type($running)";
}

#endif
