// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_FLOAT_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_FLOAT_TD

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_FloatUnary<string mnemonic, bits<16> opcode>
    : CudaTile_Op<mnemonic, opcode, "13.1", "float", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins CudaTile_FloatTile:$source);
  let results = (outs CudaTile_FloatTile:$result);
  let assemblyFormat = CudaTile_UnaryFormat<"">.format;
}
// Operations that round: nearest even, zero, down or up; flush_to_zero is for f32 only.
class CudaTile_RoundedBinary<string mnemonic, bits<16> opcode, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, opcode, "13.1", "float", traits # [Pure, SameOperandsAndResultType]> {
  let arguments = (ins CudaTile_FloatTile:$lhs, CudaTile_FloatTile:$rhs,
      DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::NearestEven">:$rounding_mode,
      UnitAttr:$flush_to_zero);
  let results = (outs CudaTile_FloatTile:$result);
  let assemblyFormat = CudaTile_BinaryFormat<
      "custom<Rounding>($rounding_mode, \"RoundingMode::NearestEven\") (`flush_to_zero` $flush_to_zero^)?">.format;
  let hasVerifier = 1;
}

def CudaTile_AbsFOp : CudaTile_FloatUnary<"absf", 0x0> {
  let summary = "absolute value";
}
def CudaTile_NegFOp : CudaTile_FloatUnary<"negf", 0x4F> {
  let summary = "negation";
}
def CudaTile_AddFOp : CudaTile_RoundedBinary<"addf", 0x2, [Commutative]> {
  let summary = "sum";
}
def CudaTile_SubFOp : CudaTile_RoundedBinary<"subf", 0x67> {
  let summary = "difference";
}
def CudaTile_MulFOp : CudaTile_RoundedBinary<"mulf", 0x4C, [Commutative]> {
  let summary = "product";
}
def CudaTile_DivFOp : CudaTile_RoundedBinary<"divf", 0x14> {
  let summary = "quotient";
  let description = "`approx` and `full` are faster divisions of f32 that do not round correctly.";
}
def CudaTile_FmaOp : CudaTile_Op<"fma", 0x28, "13.1", "float", [Pure, SameOperandsAndResultType]> {
  let summary = "lhs * rhs + acc, rounded once";
  let arguments = (ins CudaTile_FloatTile:$lhs, CudaTile_FloatTile:$rhs, CudaTile_FloatTile:$acc,
      DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::NearestEven">:$rounding_mode,
      UnitAttr:$flush_to_zero);
  let results = (outs CudaTile_FloatTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc custom<Rounding>($rounding_mode, "RoundingMode::NearestEven")
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:` custom<Ty>(type($result))
  }];
  let hasVerifier = 1;
}
def CudaTile_RemFOp : CudaTile_Op<"remf", 0x59, "13.1", "float", [Pure, SameOperandsAndResultType]> {
  let summary = "remainder of a truncated division, with the sign of the dividend";
  let arguments = (ins CudaTile_FloatTile:$lhs, CudaTile_FloatTile:$rhs);
  let results = (outs CudaTile_FloatTile:$result);
  let assemblyFormat = CudaTile_BinaryFormat<"">.format;
}

class CudaTile_FloatExtremum<string mnemonic, bits<16> opcode>
    : CudaTile_Op<mnemonic, opcode, "13.1", "float", [Pure, Commutative, SameOperandsAndResultType]> {
  let description = [{
    A NaN operand is ignored unless `propagate_nan` is set; then the result is NaN.
  }];
  let arguments = (ins CudaTile_FloatTile:$lhs, CudaTile_FloatTile:$rhs,
      UnitAttr:$propagate_nan, UnitAttr:$flush_to_zero);
  let results = (outs CudaTile_FloatTile:$result);
  let assemblyFormat = CudaTile_BinaryFormat<
      "(`flush_to_zero` $flush_to_zero^)? (`propagate_nan` $propagate_nan^)?">.format;
  let hasVerifier = 1;
}
def CudaTile_MaxFOp : CudaTile_FloatExtremum<"maxf", 0x45> {
  let summary = "the larger one";
}
def CudaTile_MinFOp : CudaTile_FloatExtremum<"minf", 0x47> {
  let summary = "the smaller one";
}

def CudaTile_CmpFOp : CudaTile_Op<"cmpf", 0xE, "13.1", "float", [Pure,
    AllTypesMatch<["lhs", "rhs"]>, SameOperandsAndResultShape]> {
  let summary = "comparison of floats";
  let description = "With a NaN operand an ordered comparison is false and an unordered one is true.";
  let arguments = (ins CudaTile_FloatTile:$lhs, CudaTile_FloatTile:$rhs,
      CudaTile_ComparisonPredicateAttr:$comparison_predicate, CudaTile_ComparisonOrderingAttr:$comparison_ordering);
  let results = (outs CudaTile_BoolTile:$result);
  let assemblyFormat = [{
    custom<Word>($comparison_predicate) custom<Word>($comparison_ordering) $lhs `,` $rhs attr-dict
    `:` custom<Ty>(type($lhs)) `->` custom<Ty>(type($result))
  }];
}

#endif
