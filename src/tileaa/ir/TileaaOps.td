// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Longer than 400 lines: the operations of one dialect, a record each.
#ifndef TILEWRIGHT_TILEAA_IR_OPS
#define TILEWRIGHT_TILEAA_IR_OPS

include "tileaa/ir/TileaaDialect.td"
include "tileaa/ir/TileaaEnums.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tileaa_Op<string mnemonic, list<Trait> traits = []> : Op<Tileaa_Dialect, mnemonic, traits>;

def Tileaa_Tile : AnyTypeOf<[AnyStaticShapeTensor, AnySignlessInteger, AnyFloat], "tile or scalar">;
def Tileaa_Addresses : AnyTypeOf<[I64, StaticShapeTensorOf<[I64]>], "address or tile of addresses">;
def Tileaa_Mask : AnyTypeOf<[I1, StaticShapeTensorOf<[I1]>], "predicate or tile of predicates">;

// An operand of print and assert: a tile, or after bufferization the buffer that holds it.
def Tileaa_HostTile : AnyTypeOf<[AnyStaticShapeTensor, AnySignlessInteger, AnyFloat, AnyMemRef], "tile, scalar or buffer">;
def Tileaa_HostMask : AnyTypeOf<[I1, StaticShapeTensorOf<[I1]>, MemRefOf<[I1]>], "predicate, or tile or buffer of predicates">;

// Of a load or store: how caches treat its data, `default` where it is not written. Results do not depend on it.
def Tileaa_CacheAttr : DefaultValuedOptionalAttr<Tileaa_CachePolicy, "::tilewright::tileaa::CachePolicy::Default">;

//===-- the grid ----------------------------------------------------------===//

def BlockIdOp : Tileaa_Op<"block_id", [Pure]> {
  let summary = "coordinates of this tile block in the grid";
  let results = (outs I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "attr-dict";
}

def NumBlocksOp : Tileaa_Op<"num_blocks", [Pure]> {
  let summary = "extents of the grid";
  let results = (outs I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "attr-dict";
}

//===-- tokens ------------------------------------------------------------===//

def MakeTokenOp : Tileaa_Op<"make_token", [Pure]> {
  let summary = "a token without dependences";
  let results = (outs Tileaa_TokenType:$result);
  let assemblyFormat = "attr-dict";
}

def JoinTokensOp : Tileaa_Op<"join_tokens", [Pure]> {
  let summary = "a token that is ordered after all of its operands";
  let arguments = (ins Variadic<Tileaa_TokenType>:$tokens);
  let results = (outs Tileaa_TokenType:$result);
  let assemblyFormat = "$tokens attr-dict";
}

//===-- assumptions --------------------------------------------------------===//

def AssumeDivByOp : Tileaa_Op<"assume_div_by", [Pure, SameOperandsAndResultType]> {
  let summary = "the same value, assumed to be a multiple of the divisor";
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, Index, StaticShapeTensorOf<[AnySignlessInteger]>]>:$value, I64Attr:$divisor);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `,` $divisor attr-dict `:` type($value)";
}

//===-- views -------------------------------------------------------------===//

def MakeViewOp : Tileaa_Op<"make_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "a view of an array, from its base address, extents and strides";
  let description = [{
    The dynamic extents and strides of the result type are given in order; strides count elements.
  }];
  let arguments = (ins I64:$base, Variadic<Index>:$dynamicShape, Variadic<Index>:$dynamicStrides);
  let results = (outs Tileaa_ViewType:$result);
  let assemblyFormat = "$base `,` `shape` `[` $dynamicShape `]` `,` `strides` `[` $dynamicStrides `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ViewDimOp : Tileaa_Op<"view_dim", [Pure]> {
  let summary = "an extent of a view, in elements";
  let arguments = (ins Tileaa_ViewType:$view, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` type($view)";
  let hasFolder = 1;
}

def ViewStrideOp : Tileaa_Op<"view_stride", [Pure]> {
  let summary = "a stride of a view, in elements";
  let arguments = (ins Tileaa_ViewType:$view, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` type($view)";
  let hasFolder = 1;
}

def ViewBaseOp : Tileaa_Op<"view_base", [Pure]> {
  let summary = "address of the first element of a view";
  let arguments = (ins Tileaa_ViewType:$view);
  let results = (outs I64:$result);
  let assemblyFormat = "$view attr-dict `:` type($view)";
  let hasFolder = 1;
}

def LoadViewOp : Tileaa_Op<"load_view", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "load a tile from a view";
  let description = [{
    Reads the box of the result's shape whose corner is at `offsets` (one per dimension of the *view*, in elements).
    Dimension `d` of the tile runs along dimension `dimMap[d]` of the view; the box has extent 1 in dimensions of
    the view that no dimension of the tile maps to. Elements outside the bounds of the view are `padding` (`zero`,
    `neg_zero`, `nan`, `pos_inf` or `neg_inf`; undefined where absent). `inbounds[d]`, per dimension of the view,
    asserts that no bounds check is needed there. If the elements are of a format that is stored as another type,
    `format` names it, for the padding.
  }];
  let arguments = (ins Tileaa_ViewType:$view, Variadic<Index>:$offsets, Optional<Tileaa_TokenType>:$token,
                       DenseI64ArrayAttr:$dimMap, OptionalAttr<Tileaa_PaddingAttr>:$padding,
                       OptionalAttr<DenseBoolArrayAttr>:$inbounds, OptionalAttr<TypeAttr>:$format,
                       OptionalAttr<Tileaa_HintsAttr>:$hints, Tileaa_CacheAttr:$cache);
  let results = (outs Tileaa_Tile:$tile, Tileaa_TokenType:$result_token);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`after` $token^)? `dims` $dimMap (`padding` $padding^)? (`hints` $hints^)? (`cache` custom<CachePolicy>($cache)^)? attr-dict
    `:` type($view) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def StoreViewOp : Tileaa_Op<"store_view", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "store a tile to a view; elements out of bounds are dropped";
  let arguments = (ins Tileaa_Tile:$tile, Tileaa_ViewType:$view, Variadic<Index>:$offsets,
                       Optional<Tileaa_TokenType>:$token, DenseI64ArrayAttr:$dimMap,
                       OptionalAttr<DenseBoolArrayAttr>:$inbounds, OptionalAttr<Tileaa_HintsAttr>:$hints, Tileaa_CacheAttr:$cache);
  let results = (outs Tileaa_TokenType:$result_token);
  let assemblyFormat = [{
    $tile `,` $view `[` $offsets `]` (`after` $token^)? `dims` $dimMap (`hints` $hints^)? (`cache` custom<CachePolicy>($cache)^)? attr-dict
    `:` type($tile) `,` type($view)
  }];
  let hasVerifier = 1;
}

//===-- pointers ----------------------------------------------------------===//

// Accesses through addresses, element by element in any order. `ordering` is that of the memory model: `relaxed`,
// `acquire`, `release` or `acq_rel`; without one a load or store is plain. All scopes are those of the machine.
class Tileaa_PtrAccessOp<string mnemonic, list<Trait> traits = []>
    : Tileaa_Op<mnemonic, traits # [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

def LoadPtrOp : Tileaa_PtrAccessOp<"load_ptr"> {
  let summary = "load one element per address";
  let description = [{
    Where `mask` is false nothing is read and the result is `padding` (undefined where absent). A load with a memory
    ordering has a write effect too, so that nothing moves or merges it.
  }];
  let arguments = (ins Tileaa_Addresses:$addresses, Optional<Tileaa_Mask>:$mask, Optional<Tileaa_Tile>:$padding,
                       Optional<Tileaa_TokenType>:$token, OptionalAttr<Tileaa_Ordering>:$ordering,
                       OptionalAttr<Tileaa_HintsAttr>:$hints, Tileaa_CacheAttr:$cache);
  let results = (outs Tileaa_Tile:$tile, Tileaa_TokenType:$result_token);
  let assemblyFormat = [{
    ($ordering^)? $addresses (`mask` $mask^)? (`padding` $padding^ `:` type($padding))? (`after` $token^)? (`hints` $hints^)? (`cache` custom<CachePolicy>($cache)^)? attr-dict
    `:` type($addresses) `,` type($mask) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def StorePtrOp : Tileaa_PtrAccessOp<"store_ptr"> {
  let summary = "store one element per address where the mask is true";
  let arguments = (ins Tileaa_Addresses:$addresses, Tileaa_Tile:$tile, Optional<Tileaa_Mask>:$mask,
                       Optional<Tileaa_TokenType>:$token, OptionalAttr<Tileaa_Ordering>:$ordering,
                       OptionalAttr<Tileaa_HintsAttr>:$hints, Tileaa_CacheAttr:$cache);
  let results = (outs Tileaa_TokenType:$result_token);
  let assemblyFormat = [{
    ($ordering^)? $addresses `,` $tile (`mask` $mask^)? (`after` $token^)? (`hints` $hints^)? (`cache` custom<CachePolicy>($cache)^)? attr-dict
    `:` type($addresses) `,` type($tile) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def AtomicRmwOp : Tileaa_PtrAccessOp<"atomic_rmw", [AllTypesMatch<["value", "old"]>]> {
  let summary = "atomic read-modify-write of each element; returns the old elements";
  let description = [{
    `kind` is one of `addi`, `addf`, `andi`, `ori`, `_xori`, `maxs`, `mins`, `maxu`, `minu` and `assign`. Where the
    mask is false nothing is accessed and the result is zero.
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, Tileaa_Addresses:$addresses, Tileaa_Tile:$value,
                       Optional<Tileaa_Mask>:$mask, Optional<Tileaa_TokenType>:$token, Tileaa_Ordering:$ordering);
  let results = (outs Tileaa_Tile:$old, Tileaa_TokenType:$result_token);
  let assemblyFormat = [{
    $kind $ordering $addresses `,` $value (`mask` $mask^)? (`after` $token^)? attr-dict
    `:` type($addresses) `,` type($value) `,` type($mask)
  }];
}

def AtomicCasOp : Tileaa_PtrAccessOp<"atomic_cas", [AllTypesMatch<["expected", "value", "old"]>]> {
  let summary = "atomic compare-and-swap of each element; returns the old elements";
  let description = [{
    Elements are compared by their bits. Where the mask is false nothing is accessed and the result is `expected`.
  }];
  let arguments = (ins Tileaa_Addresses:$addresses, Tileaa_Tile:$expected, Tileaa_Tile:$value,
                       Optional<Tileaa_Mask>:$mask, Optional<Tileaa_TokenType>:$token, Tileaa_Ordering:$ordering);
  let results = (outs Tileaa_Tile:$old, Tileaa_TokenType:$result_token);
  let assemblyFormat = [{
    $ordering $addresses `,` $expected `,` $value (`mask` $mask^)? (`after` $token^)? attr-dict
    `:` type($addresses) `,` type($value) `,` type($mask)
  }];
}

//===-- allocations and globals --------------------------------------------===//

def AllocaOp : Tileaa_Op<"alloca", [MemoryEffects<[MemAlloc]>]> {
  let summary = "allocate memory that lives as long as the tile block";
  let description = [{
    Each execution gives a distinct allocation with undefined contents. `offset` is its offset in bytes in the shared
    memory of the block, once tileas-allocate-shared has assigned one.
  }];
  let arguments = (ins I64Attr:$bytes, I64Attr:$alignment, OptionalAttr<I64Attr>:$offset);
  let results = (outs I64:$address);
  let assemblyFormat = "$bytes `aligned` $alignment (`at` $offset^)? attr-dict";
}

def GlobalOp : Tileaa_Op<"global", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "memory with an initial value that lives as long as the module";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$content, I64Attr:$alignment);
  let assemblyFormat = "($sym_visibility^)? $sym_name `=` $content `aligned` $alignment attr-dict";
}

def GetGlobalOp : Tileaa_Op<"get_global", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the address of a global";
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs I64:$address);
  let assemblyFormat = "$name attr-dict";
}

def FenceOp : Tileaa_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "order all accesses before it before all accesses after it";
  let description = [{
    This includes accesses of different addresses that are the same memory.
  }];
  let arguments = (ins Optional<Tileaa_TokenType>:$token);
  let results = (outs Tileaa_TokenType:$result_token);
  let assemblyFormat = "(`after` $token^)? attr-dict";
}

//===-- shapes ------------------------------------------------------------===//

def IotaOp : Tileaa_Op<"iota", [Pure]> {
  let summary = "0, 1, ... n-1";
  let description = [{
    A `rematerialized` one reads the thread's number again by an opaque instruction, so that neither LLVM nor ptxas
    can merge it, or values computed from it, with the original.
  }];
  let arguments = (ins UnitAttr:$rematerialized);
  let results = (outs StaticShapeTensorOf<[AnySignlessInteger]>:$result);
  let assemblyFormat = "(`rematerialized` $rematerialized^)? attr-dict `:` type($result)";
}

def BroadcastOp : Tileaa_Op<"broadcast", [Pure]> {
  let summary = "replicate a scalar, or dimensions of extent 1, to the result's shape";
  let arguments = (ins Tileaa_Tile:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ReshapeOp : Tileaa_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    A scalar is a tile of one element.
  }];
  let arguments = (ins Tileaa_Tile:$source);
  let results = (outs Tileaa_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def PermuteOp : Tileaa_Op<"permute", [Pure]> {
  let summary = "dimension `d` of the result is dimension `permutation[d]` of the source";
  let arguments = (ins AnyStaticShapeTensor:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `by` $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def CatOp : Tileaa_Op<"cat", [Pure]> {
  let summary = "concatenate two tiles along a dimension";
  let arguments = (ins AnyStaticShapeTensor:$lhs, AnyStaticShapeTensor:$rhs, I64Attr:$dim);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `along` $dim attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def ExtractOp : Tileaa_Op<"extract", [Pure]> {
  let summary = "extract a slice of a tile; offsets count elements";
  let arguments = (ins AnyStaticShapeTensor:$source, Variadic<Index>:$offsets);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `[` $offsets `]` attr-dict `:` type($source) `->` type($result)";
}

def InsertOp : Tileaa_Op<"insert", [Pure]> {
  let summary = "replace a slice of a tile; offsets count elements";
  let arguments = (ins AnyStaticShapeTensor:$source, AnyStaticShapeTensor:$destination, Variadic<Index>:$offsets);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `into` $destination `[` $offsets `]` attr-dict `:` type($source) `,` type($destination) `->` type($result)";
}

//===-- arithmetic that arith does not have --------------------------------===//

def Tileaa_Floats : Type<FloatLike.predicate, "float, or a tile or vector of floats">;
def Tileaa_Numbers : Type<Or<[SignlessIntegerLike.predicate, FloatLike.predicate]>,
                                    "number, or a tile or vector of numbers">;

// Elementwise: expanded only inside loops, on scalars or vectors, where intermediate results need no tile.
class Tileaa_ElementwiseOp<string mnemonic, list<Trait> traits> : Tileaa_Op<mnemonic,
    traits # [Pure, SameOperandsAndResultShape] # ElementwiseMappable.traits>;

def FloatOp : Tileaa_ElementwiseOp<"float", [SameOperandsAndResultType]> {
  let summary = "float arithmetic with rounding modes, flushing and ordered zeros";
  let description = [{
    Rounds its exact result once, by `rounding`. `max` and `min` ignore a NaN operand, `maximum` and `minimum`
    propagate NaN, and all four order -0 before +0. With `flush` subnormal operands and results are flushed to zeros
    of their sign. Arithmetic that `arith` and `math` express exactly stays in those dialects.

    ```
    %s = tileaa.float add %a, %b rounding zero flush : tensor<8xf32>
    ```
    A target that has such an instruction selects it; `tileaa-legalize-elementwise` expands the others.
  }];
  let arguments = (ins Tileaa_FloatKindAttr:$kind, Variadic<Tileaa_Floats>:$operands,
                       DefaultValuedAttr<Tileaa_RoundingAttr, "Rounding::NearestEven">:$rounding, UnitAttr:$flush);
  let results = (outs Tileaa_Floats:$result);
  let assemblyFormat = "$kind $operands (`rounding` $rounding^)? (`flush` $flush^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ConvertOp : Tileaa_ElementwiseOp<"convert", []> {
  let summary = "convert numbers between formats";
  let description = [{
    `from` and `to` say how bits are read and written. A format without arithmetic is stored as another type: tf32
    as f32, whose low 13 bits count as zero; formats of eight bits and less as i8. The result is rounded once, by
    `rounding`; conversions to an integer truncate, to i1 they compare with zero.

    f8E4M3FN, f8E5M2, f8E5M3FNU and f4E2M1FN saturate to their largest number, infinity included; an unsigned format
    drops the sign; NaN stays NaN, and is +6 in f4E2M1FN. Integers are signed unless `unsigned` is set. Conversions
    to integers saturate; NaN becomes the smallest integer, with `saturate` 0.

    ```
    %f = tileaa.convert %x : tensor<8xi8> as f8E4M3FN to tensor<8xf32> as f32
    ```
  }];
  let arguments = (ins Tileaa_Numbers:$source, TypeAttr:$from, TypeAttr:$to,
                       DefaultValuedAttr<Tileaa_RoundingAttr, "Rounding::NearestEven">:$rounding,
                       UnitAttr:$isUnsigned, UnitAttr:$saturate);
  let results = (outs Tileaa_Numbers:$result);
  let assemblyFormat = [{
    $source (`unsigned` $isUnsigned^)? (`rounding` $rounding^)? (`saturate` $saturate^)? attr-dict
    `:` type($source) `as` $from `to` type($result) `as` $to
  }];
  let hasVerifier = 1;
}

//===-- products, reductions and scans -------------------------------------===//

def MmaOp : Tileaa_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix multiply-accumulate, acc + lhs @ rhs, optionally batched";
  let description = [{
    The shapes are [M,K] @ [K,N], or those with a leading batch dimension. Products and sums are of the
    accumulator's type; their order, contraction and the flushing of subnormals inside one dot product are free.
    Integer operands are signed unless `unsignedLhs`/`unsignedRhs`. Operands of a format that is stored as another
    type name it in `format`: tf32, f8E4M3FN, f8E5M2. With `fastAcc` sums of products of 8-bit floats may lose bits:
    the tensor cores of sm_90 accumulate them with 14 bits of mantissa.
  }];
  let arguments = (ins AnyStaticShapeTensor:$lhs, AnyStaticShapeTensor:$rhs, AnyStaticShapeTensor:$acc,
                       UnitAttr:$unsignedLhs, UnitAttr:$unsignedRhs, OptionalAttr<TypeAttr>:$format, UnitAttr:$fastAcc);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)";
  let hasVerifier = 1;
}

def MmaScaledOp : Tileaa_Op<"mma_scaled", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "block-scaled mma, acc + (lhs * lhsScale) @ (rhs * rhsScale)";
  let description = [{
    For lhs [M,K] and rhs [K,N] the scales are [M,S] and [S,N]; each scale is shared by K/S consecutive elements
    along K. All may have a leading batch dimension. `format` and `scaleFormat` are the formats of operands and
    scales.
  }];
  let arguments = (ins AnyStaticShapeTensor:$lhs, AnyStaticShapeTensor:$rhs, AnyStaticShapeTensor:$acc,
                       AnyStaticShapeTensor:$lhsScale, AnyStaticShapeTensor:$rhsScale, TypeAttr:$format,
                       TypeAttr:$scaleFormat);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `scaled` `by` $lhsScale `,` $rhsScale `as` $format `,` $scaleFormat attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc) `,` type($lhsScale) `,` type($rhsScale)
  }];
}

class Tileaa_ReduceLikeOp<string mnemonic> : Tileaa_Op<mnemonic, [Pure, AttrSizedOperandSegments, SingleBlock]> {
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$sources, Variadic<Tileaa_Tile>:$identities, I64Attr:$dim);
  let results = (outs Variadic<Tileaa_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def ReduceOp : Tileaa_ReduceLikeOp<"reduce"> {
  let summary = "reduce the elements along one dimension, in any order";
  let description = [{
    The body takes, for each source, the partial result and then the next element (`acc0, x0, acc1, x1, ...`,
    scalars) and yields the new partial results with `tileaa.yield`. `identities` are scalars. Results lack
    dimension `dim`; of a rank-1 source they are scalars.
  }];
  let assemblyFormat = "$sources `from` $identities `along` $dim $body attr-dict `:` functional-type(operands, results)";
}

def ScanOp : Tileaa_ReduceLikeOp<"scan"> {
  let summary = "inclusive scan along one dimension";
  let description = [{
    An `exclusive` scan gives each element the combination of those before it, the identity for the first. A `partial`
    one is inclusive and part of another scan, which combines the identity with each result once. Both are made when
    warps scan parts of a tile (tileas-legalize-scan).
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$sources, Variadic<Tileaa_Tile>:$identities, I64Attr:$dim, UnitAttr:$reverse,
                       DefaultValuedAttr<Tileaa_ScanKind, "ScanKind::Inclusive">:$kind);
  let assemblyFormat = "$sources `from` $identities `along` $dim (`reverse` $reverse^)? ($kind^)? $body attr-dict `:` functional-type(operands, results)";
}

def YieldOp : Tileaa_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "terminate the body of a reduce or scan with its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

//===-- calls of the host --------------------------------------------------===//

def PrintOp : Tileaa_Op<"print", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "print tiles on the host; one C conversion per tile";
  let description = [{
    `unsignedArgs[i]` says that an integer tile is printed unsigned.
  }];
  let arguments = (ins StrAttr:$format, Variadic<Tileaa_HostTile>:$values, Optional<Tileaa_TokenType>:$token,
                       OptionalAttr<DenseBoolArrayAttr>:$unsignedArgs);
  let results = (outs Tileaa_TokenType:$result_token);
  let assemblyFormat = "$format (`(` $values^ `:` type($values) `)`)? (`after` $token^)? attr-dict";
}

def AssertOp : Tileaa_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "end the launch with a message unless all elements are true";
  let arguments = (ins Tileaa_HostMask:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif
