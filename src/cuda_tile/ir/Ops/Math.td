// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MATH_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MATH_TD

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_MathOp<string mnemonic, bits<16> opcode, string version = "13.1">
    : CudaTile_Op<mnemonic, opcode, version, "math", [Pure, SameOperandsAndResultType]> {
  let results = (outs CudaTile_FloatTile:$result);
}
class CudaTile_MathUnary<string mnemonic, bits<16> opcode, string text> : CudaTile_MathOp<mnemonic, opcode> {
  let summary = text;
  let arguments = (ins CudaTile_FloatTile:$source);
  let assemblyFormat = CudaTile_UnaryFormat<"">.format;
}
// flush_to_zero is for f32 only.
class CudaTile_FlushingUnary<string mnemonic, bits<16> opcode, string text> : CudaTile_MathUnary<mnemonic, opcode, text> {
  let arguments = (ins CudaTile_FloatTile:$source, UnitAttr:$flush_to_zero);
  let assemblyFormat = CudaTile_UnaryFormat<"(`flush_to_zero` $flush_to_zero^)?">.format;
  let hasVerifier = 1;
}

def CudaTile_CeilOp : CudaTile_MathUnary<"ceil", 0xD, "rounding up to an integral value">;
def CudaTile_FloorOp : CudaTile_MathUnary<"floor", 0x27, "rounding down to an integral value">;
def CudaTile_CosOp : CudaTile_MathUnary<"cos", 0x12, "cosine">;
def CudaTile_CosHOp : CudaTile_MathUnary<"cosh", 0x13, "hyperbolic cosine">;
def CudaTile_SinOp : CudaTile_MathUnary<"sin", 0x62, "sine">;
def CudaTile_SinHOp : CudaTile_MathUnary<"sinh", 0x63, "hyperbolic sine">;
def CudaTile_TanOp : CudaTile_MathUnary<"tan", 0x69, "tangent">;
def CudaTile_LogOp : CudaTile_MathUnary<"log", 0x3F, "natural logarithm">;
def CudaTile_Log2Op : CudaTile_MathUnary<"log2", 0x40, "logarithm to base 2">;
def CudaTile_Exp2Op : CudaTile_FlushingUnary<"exp2", 0x18, "power of two">;
def CudaTile_RsqrtOp : CudaTile_FlushingUnary<"rsqrt", 0x5D, "reciprocal of the square root">;

class CudaTile_ApproximableUnary<string mnemonic, bits<16> opcode, string modeSince, string text>
    : CudaTile_MathUnary<mnemonic, opcode, text> {
  let arguments = (ins CudaTile_FloatTile:$source,
      AddedIn<modeSince, DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::Full">>:$rounding_mode);
  let assemblyFormat = CudaTile_UnaryFormat<"custom<Rounding>($rounding_mode, \"RoundingMode::Full\")">.format;
  let hasVerifier = 1;
}
def CudaTile_ExpOp : CudaTile_ApproximableUnary<"exp", 0x17, "13.3", "power of e">;
def CudaTile_TanHOp : CudaTile_ApproximableUnary<"tanh", 0x6A, "13.2", "hyperbolic tangent">;

def CudaTile_SqrtOp : CudaTile_MathUnary<"sqrt", 0x64, "square root"> {
  let arguments = (ins CudaTile_FloatTile:$source,
      DefaultValuedAttr<CudaTile_RoundingModeAttr, "RoundingMode::NearestEven">:$rounding_mode,
      UnitAttr:$flush_to_zero);
  let assemblyFormat = CudaTile_UnaryFormat<
      "custom<Rounding>($rounding_mode, \"RoundingMode::NearestEven\") (`flush_to_zero` $flush_to_zero^)?">.format;
  let hasVerifier = 1;
}

def CudaTile_Atan2Op : CudaTile_MathOp<"atan2", 0x6E, "13.2"> {
  let summary = "angle of tangent x / y in the quadrant of the signs: atan2(x, y) of C";
  let arguments = (ins CudaTile_FloatTile:$x, CudaTile_FloatTile:$y);
  let assemblyFormat = "$x `,` $y attr-dict `:` custom<Ty>(type($result))";
}
def CudaTile_FPowFOp : CudaTile_MathOp<"fpowf", 0x54> {
  let summary = "power with a float exponent";
  let description = "Named `pow` before 13.4.";
  let arguments = (ins CudaTile_FloatTile:$source, CudaTile_FloatTile:$exponent);
  let assemblyFormat = "$source `,` $exponent attr-dict `:` custom<Ty>(type($result))";
}
def CudaTile_FPowIOp : CudaTile_Op<"fpowi", 0x79, "13.4", "math", [Pure,
    AllTypesMatch<["source", "result"]>, SameOperandsAndResultShape]> {
  let summary = "power with a signed integer exponent of at most 32 bits";
  let arguments = (ins CudaTile_FloatTile:$source, CudaTile_IntTile:$exponent);
  let results = (outs CudaTile_FloatTile:$result);
  let assemblyFormat = [{
    $source `,` $exponent attr-dict `:` custom<Ty>(type($source)) `,` custom<Ty>(type($exponent))
  }];
  let hasVerifier = 1;
}

#endif
