// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_CONVERT_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_CONVERT_TD

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_ConversionOp<string mnemonic, bits<16> opcode, dag inputs, dag outputs, string flags>
    : CudaTile_Op<mnemonic, opcode, "13.1", "convert", [Pure, SameOperandsAndResultShape]> {
  let arguments = inputs;
  let results = outputs;
  let assemblyFormat = CudaTile_ConversionFormat<flags>.format;
  let hasVerifier = 1;
}

def CudaTile_ExtIOp : CudaTile_ConversionOp<"exti", 0x25,
    (ins CudaTile_AnyIntTile:$from, CudaTile_SignednessAttr:$signedness),
    (outs CudaTile_AnyIntTile:$to), "custom<Word>($signedness)"> {
  let summary = "integer to a wider integer";
}
def CudaTile_TruncIOp : CudaTile_ConversionOp<"trunci", 0x6B,
    (ins CudaTile_AnyIntTile:$from,
         DefaultValuedAttr<CudaTile_IntegerOverflowAttr, "IntegerOverflow::None">:$overflow),
    (outs CudaTile_AnyIntTile:$to), "(`overflow` `` $overflow^)?"> {
  let summary = "integer to a narrower integer";
}
def CudaTile_FToFOp : CudaTile_ConversionOp<"ftof", 0x2A,
    (ins CudaTile_AnyFloatTile:$from,
         DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::NearestEven">:$rounding_mode),
    (outs CudaTile_AnyFloatTile:$to), "custom<Rounding>($rounding_mode, \"RoundingMode::NearestEven\")"> {
  let summary = "float to another float type";
}
def CudaTile_FToIOp : CudaTile_ConversionOp<"ftoi", 0x2B,
    (ins CudaTile_AnyFloatTile:$from, CudaTile_SignednessAttr:$signedness,
         DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::NearestIntToZero">:$rounding_mode,
         AddedIn<"13.4", UnitAttr>:$saturating),
    (outs CudaTile_IntTile:$to),
    "custom<Word>($signedness) custom<Rounding>($rounding_mode, \"RoundingMode::NearestIntToZero\") (`saturating` $saturating^)?"> {
  let summary = "float to integer, rounded towards zero";
  let description = [{
    A value that does not fit is undefined; with `saturating` it is the nearest integer that fits, and NaN is 0.
  }];
}
def CudaTile_IToFOp : CudaTile_ConversionOp<"itof", 0x3B,
    (ins CudaTile_IntTile:$from, CudaTile_SignednessAttr:$signedness,
         DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::NearestEven">:$rounding_mode),
    (outs CudaTile_AnyFloatTile:$to),
    "custom<Word>($signedness) custom<Rounding>($rounding_mode, \"RoundingMode::NearestEven\")"> {
  let summary = "integer to float";
}

class CudaTile_RecastOp<string mnemonic, bits<16> opcode, Type from, Type to, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, opcode, "13.1", "convert", traits # [Pure]> {
  let arguments = (ins from:$source);
  let results = (outs to:$result);
  let assemblyFormat = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))";
}
def CudaTile_BitcastOp : CudaTile_RecastOp<"bitcast", 0x9, CudaTile_MemoryTile, CudaTile_MemoryTile,
                                           [SameOperandsAndResultShape]> {
  let summary = "the same bits read as another element type of the same width";
  let hasVerifier = 1;
}
def CudaTile_IntToPtrOp : CudaTile_RecastOp<"int_to_ptr", 0x33, CudaTile_I64Tile, CudaTile_PtrTile,
                                            [SameOperandsAndResultShape]> {
  let summary = "addresses to pointers";
}
def CudaTile_PtrToIntOp : CudaTile_RecastOp<"ptr_to_int", 0x56, CudaTile_PtrTile, CudaTile_I64Tile,
                                            [SameOperandsAndResultShape]> {
  let summary = "pointers to addresses";
}
def CudaTile_PtrToPtrOp : CudaTile_RecastOp<"ptr_to_ptr", 0x57, CudaTile_PtrTile, CudaTile_PtrTile,
                                            [SameOperandsAndResultShape]> {
  let summary = "pointers to another element type";
}
def CudaTile_PackOp : CudaTile_RecastOp<"pack", 0x6F, CudaTile_NumberTile, CudaTile_ByteTile> {
  let since = "13.3";
  let summary = "a rank-1 tile to the bytes it has in memory, low bits first";
  let hasVerifier = 1;
}
def CudaTile_UnpackOp : CudaTile_RecastOp<"unpack", 0x70, CudaTile_ByteTile, CudaTile_NumberTile> {
  let since = "13.3";
  let summary = "reinterpret bytes as a rank-1 tile, low bits first";
  let hasVerifier = 1;
}

#endif
