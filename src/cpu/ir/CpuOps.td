// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_IR_OPS
#define TILEWRIGHT_CPU_IR_OPS

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tileaa/ir/TileaaEnums.td"
include "cpu/ir/CpuDialect.td"

class Cpu_Op<string mnemonic, list<Trait> traits = []> : Op<Cpu_Dialect, mnemonic, traits>;

def Cpu_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

class Cpu_DpsOp<string mnemonic, list<Trait> traits = []>
    : Cpu_Op<mnemonic, traits # [DestinationStyleOpInterface,
                                 DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

def MmaOp : Cpu_DpsOp<"mma", [AttrSizedOperandSegments]> {
  let summary = "matrix multiply-accumulate, acc += lhs @ rhs, by register blocks";
  let description = [{
    `lhs` is [M,K] with any strides, or [K,M] with `transposedLhs`. `rhs` is [K,N] with unit stride along N, or
    packed: [N/P,K,P], panels of P columns, or, where the machine multiplies words of G elements, pairs or quads,
    [N/P,K/G,GP], panels with G rows interleaved. `bounds` (rows, columns, depth) exclude padding: the rest, rounded up to a register block, is
    not computed. With `zeroInit` the accumulator's old contents are not read. `ahead` are arrays that the next
    iteration reads: their cache lines are prefetched, some before each register block. `ragged` says that the bound
    of columns depends on data and seldom fills the last register block: a narrower block is generated for when at
    most one vector is left.
  }];
  let arguments = (ins Cpu_Shaped:$lhs, Cpu_Shaped:$rhs, Cpu_Shaped:$acc, Variadic<Index>:$bounds,
                       Variadic<AnyStridedMemRef>:$ahead,
                       UnitAttr:$zeroInit, UnitAttr:$unsignedLhs, UnitAttr:$unsignedRhs,
                       UnitAttr:$transposedLhs, UnitAttr:$ragged);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `into` $acc (`bounds` `(` $bounds^ `)`)? (`ahead` `(` $ahead^ `:` type($ahead) `)`)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc) (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getAccMutable(); }
    int64_t getDepth();
    /// Rows that are interleaved in a packed right operand; 1 in all others.
    int64_t getWordElements();
    /// Whether it runs on the plan's matrix unit.
    bool hasTiles(const Plan &plan);
    /// How many iterations of a loop with it make one pass over the accumulator.
    int64_t getMergedSteps(const Plan &plan);
  }];
}

def PackWordsOp : Cpu_DpsOp<"pack_words"> {
  let summary = "pack [K,N] to [N/P,K/G,GP]: panels of P columns, G rows interleaved";
  let description = [{
    G elements of a column are 32 bits: pairs of 16 bits, quads of bytes. Integers of a narrower source are sign-extended,
    or zero-extended with `unsignedSource`. With `transposedSource` the source is [N,K].
  }];
  let arguments = (ins Cpu_Shaped:$source, Cpu_Shaped:$destination, UnitAttr:$unsignedSource,
                       UnitAttr:$transposedSource);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = "$source `into` $destination attr-dict `:` type($source) `,` type($destination) (`->` type($result)^)?";
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestinationMutable(); }
  }];
}

def ScanOp : Cpu_DpsOp<"scan", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "inclusive scan along one dimension";
  let description = [{
    The body takes, for each source, the combination so far and then the next element (`acc0, x0, acc1, x1, ...`,
    scalars) and yields the new combination. It is associative, and the scalars `identities` are its identity, so
    that lanes of a vector can be combined first.
  }];
  let arguments = (ins Variadic<Cpu_Shaped>:$sources, Variadic<AnyType>:$identities, Variadic<Cpu_Shaped>:$destinations,
                       I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `from` $identities `into` $destinations `along` $dim (`reverse` $reverse^)? $body attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestinationsMutable(); }
  }];
}

def YieldOp : Cpu_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ScanOp">]> {
  let summary = "terminate the body of a scan with its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def ArrayOp : Cpu_Op<"array", [Pure, AttrSizedOperandSegments]> {
  let summary = "a memref over an array, from its address, extents and strides";
  let arguments = (ins I64:$address, Variadic<Index>:$sizes, Variadic<Index>:$strides);
  let results = (outs AnyStridedMemRef:$result);
  let assemblyFormat = "$address `,` `[` $sizes `]` `,` `[` $strides `]` attr-dict `:` type($result)";
}

def EdgeOp : Cpu_Op<"edge", [Pure, AttrSizedOperandSegments]> {
  let summary = "a buffer over a tile of which only a part is inside of its array";
  let description = [{
    `source` begins where the tile does, and ends where the part does. Along each dimension the first `before` elements
    are not inside either; where absent all are. Loops read `padding` outside, and write nothing.
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Index>:$before, Optional<AnyType>:$padding);
  let results = (outs AnyStridedMemRef:$result);
  let assemblyFormat = [{
    $source (`before` `[` $before^ `]`)? (`,` $padding^ `:` type($padding))? attr-dict
    `:` type($source) `to` type($result)
  }];
}

def CopyInOp : Cpu_Op<"copy_in", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copy the part of a tile inside the bounds to scratch and pad the rest";
  let description = [{
    `source` begins where the tile does, and ends where the part does, so its extents are at most those of
    `destination`. Along each dimension the first `before` elements are not inside either; where absent all are.
  }];
  let arguments = (ins AnyStridedMemRef:$source, AnyStridedMemRef:$destination, Variadic<Index>:$before, AnyType:$padding);
  let assemblyFormat = "$source `to` $destination (`before` `[` $before^ `]`)? `,` $padding attr-dict `:` type($source) `,` type($destination) `,` type($padding)";
}

def CopyOutOp : Cpu_Op<"copy_out", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copy the part of a tile inside the bounds to the array";
  let description = [{ The extents and the first elements of `destination` are those of the source of `copy_in`. }];
  let arguments = (ins AnyStridedMemRef:$source, AnyStridedMemRef:$destination, Variadic<Index>:$before);
  let assemblyFormat = "$source `to` $destination (`before` `[` $before^ `]`)? attr-dict `:` type($source) `,` type($destination)";
}

// One element through an address, the scalar form of the tileaa operations: with an `ordering` it is an atomic access, in
// loops over single elements only.
def PtrLoadOp : Cpu_Op<"ptr_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AllTypesMatch<["other", "result"]>]> {
  let summary = "load the element at an address, or `other` if the mask is false";
  let arguments = (ins AnyType:$address, AnyType:$mask, AnyType:$other, OptionalAttr<Tileaa_Ordering>:$ordering);
  let results = (outs AnyType:$result);
  let assemblyFormat = "($ordering^)? $address `,` $mask `,` $other attr-dict `:` type($address) `,` type($mask) `,` type($other)";
}

def PtrStoreOp : Cpu_Op<"ptr_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "store an element to an address if the mask is true";
  let arguments = (ins AnyType:$value, AnyType:$address, AnyType:$mask, OptionalAttr<Tileaa_Ordering>:$ordering);
  let assemblyFormat = "($ordering^)? $value `,` $address `,` $mask attr-dict `:` type($value) `,` type($address) `,` type($mask)";
}

def AtomicRmwOp : Cpu_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "old"]>]> {
  let summary = "atomic read-modify-write of an element if the mask is true";
  let description = [{
    The result is the old element, or zero if the mask is false.
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, Tileaa_Ordering:$ordering, I64:$address, AnyType:$value, I1:$mask);
  let results = (outs AnyType:$old);
  let assemblyFormat = "$kind $ordering $address `,` $value `,` $mask attr-dict `:` type($value)";
}

def AtomicCasOp : Cpu_Op<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["expected", "value", "old"]>]> {
  let summary = "atomic compare-and-swap of an element if the mask is true";
  let description = [{
    Elements are compared by their bits. The result is the old element, or `expected` if the mask is false.
  }];
  let arguments = (ins Tileaa_Ordering:$ordering, I64:$address, AnyType:$expected, AnyType:$value, I1:$mask);
  let results = (outs AnyType:$old);
  let assemblyFormat = "$ordering $address `,` $expected `,` $value `,` $mask attr-dict `:` type($value)";
}

def ElementOp : Cpu_Op<"element", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "mark the value combined with an accumulator in a reduction's body";
  let description = [{
    The result is the value. `result_number` is the number of the loop result that it is combined into. Operations
    on marked values and accumulators alone combine two partial results as well as a partial result and an element.
    With several accumulators the elements of each could not be identified otherwise.
  }];
  let arguments = (ins AnyType:$value, I64Attr:$result_number);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `of` $result_number attr-dict `:` type($value)";
}

#endif
