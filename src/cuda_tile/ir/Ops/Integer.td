// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_INTEGER_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_INTEGER_TD

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_IntUnary<string mnemonic, bits<16> opcode, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, opcode, "13.1", "integer", traits # [Pure, SameOperandsAndResultType]> {
  let arguments = (ins CudaTile_IntTile:$source);
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = CudaTile_UnaryFormat<"">.format;
}
class CudaTile_IntBinary<string mnemonic, bits<16> opcode, list<Trait> traits = [Pure]>
    : CudaTile_Op<mnemonic, opcode, "13.1", "integer", traits # [SameOperandsAndResultType]> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs);
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = CudaTile_BinaryFormat<"">.format;
}
class CudaTile_WrappingBinary<string mnemonic, bits<16> opcode, list<Trait> traits = []>
    : CudaTile_IntBinary<mnemonic, opcode, traits # [Pure]> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs,
      DefaultValuedAttr<CudaTile_IntegerOverflowAttr, "IntegerOverflow::None">:$overflow);
  let assemblyFormat = CudaTile_BinaryFormat<"(`overflow` `` $overflow^)?">.format;
}
class CudaTile_SignedBinary<string mnemonic, bits<16> opcode, list<Trait> traits = [Pure]>
    : CudaTile_IntBinary<mnemonic, opcode, traits> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_SignednessAttr:$signedness);
  let assemblyFormat = CudaTile_BinaryFormat<"custom<Word>($signedness)">.format;
}

def CudaTile_AbsIOp : CudaTile_IntUnary<"absi", 0x1> {
  let summary = "absolute value of signed integers";
}
def CudaTile_NegIOp : CudaTile_IntUnary<"negi", 0x50> {
  let summary = "negation, two's complement";
  let arguments = (ins CudaTile_IntTile:$source,
      AddedIn<"13.2", DefaultValuedAttr<CudaTile_IntegerOverflowAttr, "IntegerOverflow::None">>:$overflow);
  let assemblyFormat = CudaTile_UnaryFormat<"(`overflow` `` $overflow^)?">.format;
  let hasVerifier = 1;
}

def CudaTile_AddIOp : CudaTile_WrappingBinary<"addi", 0x3, [Commutative]> {
  let summary = "sum";
}
def CudaTile_SubIOp : CudaTile_WrappingBinary<"subi", 0x68> {
  let summary = "difference";
}
def CudaTile_MulIOp : CudaTile_WrappingBinary<"muli", 0x4E, [Commutative]> {
  let summary = "low half of the product";
}
def CudaTile_ShLIOp : CudaTile_WrappingBinary<"shli", 0x60> {
  let summary = "shift to the left";
  let description = "The shift is unsigned; one of the width or more gives an undefined value.";
}
def CudaTile_ShRIOp : CudaTile_SignedBinary<"shri", 0x61> {
  let summary = "shift to the right: arithmetic if signed, else logical";
  let description = "The shift is unsigned; one of the width or more gives an undefined value.";
}
def CudaTile_MulhiIOp : CudaTile_IntBinary<"mulhii", 0x4D, [Pure, Commutative]> {
  let summary = "high half of the product of unsigned integers";
  let arguments = (ins CudaTile_IntTile:$x, CudaTile_IntTile:$y);
  let assemblyFormat = "$x `,` $y attr-dict `:` custom<Ty>(type($result))";
}

// Division by zero and the quotient that overflows are undefined, so these never move
// above a condition: they have no effect, but are not Pure.
def CudaTile_DivIOp : CudaTile_SignedBinary<"divi", 0x15, [NoMemoryEffect]> {
  let summary = "quotient, rounded towards zero, down or up";
  let description = [{
    `rounding<negative_inf>` is the floor, `rounding<positive_inf>` the ceiling of the exact quotient.
    A zero divisor, or the smallest integer over -1, is undefined.
  }];
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_SignednessAttr:$signedness,
      DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::Zero">:$rounding);
  let assemblyFormat = CudaTile_BinaryFormat<"custom<Word>($signedness) (`rounding` `` $rounding^)?">.format;
  let hasVerifier = 1;
}
def CudaTile_RemIOp : CudaTile_SignedBinary<"remi", 0x5A, [NoMemoryEffect]> {
  let summary = "remainder with the sign of the dividend";
  let description = "A zero divisor is undefined.";
}

def CudaTile_MaxIOp : CudaTile_SignedBinary<"maxi", 0x46, [Pure, Commutative]> {
  let summary = "the larger one";
}
def CudaTile_MinIOp : CudaTile_SignedBinary<"mini", 0x48, [Pure, Commutative]> {
  let summary = "the smaller one";
}
def CudaTile_AndIOp : CudaTile_IntBinary<"andi", 0x4, [Pure, Commutative]> {
  let summary = "bitwise and";
}
def CudaTile_OrIOp : CudaTile_IntBinary<"ori", 0x52, [Pure, Commutative]> {
  let summary = "bitwise or";
}
def CudaTile_XOrIOp : CudaTile_IntBinary<"xori", 0x6C, [Pure, Commutative]> {
  let summary = "bitwise exclusive or";
}

def CudaTile_CmpIOp : CudaTile_Op<"cmpi", 0xF, "13.1", "integer", [Pure,
    AllTypesMatch<["lhs", "rhs"]>, SameOperandsAndResultShape]> {
  let summary = "comparison of integers";
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs,
      CudaTile_ComparisonPredicateAttr:$comparison_predicate, CudaTile_SignednessAttr:$signedness);
  let results = (outs CudaTile_BoolTile:$result);
  let assemblyFormat = [{
    custom<Word>($comparison_predicate) $lhs `,` $rhs `,` custom<Word>($signedness) attr-dict
    `:` custom<Ty>(type($lhs)) `->` custom<Ty>(type($result))
  }];
}

#endif
