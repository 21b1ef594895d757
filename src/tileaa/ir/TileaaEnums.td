// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations, in a file of their own: their generators would also emit those of included dialects.
#ifndef TILEWRIGHT_TILEAA_IR_ENUMS
#define TILEWRIGHT_TILEAA_IR_ENUMS

include "tileaa/ir/TileaaDialect.td"
include "mlir/IR/EnumAttr.td"

class Tileaa_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tileaa";
  let genSpecializedAttr = 0;
}
class Tileaa_EnumAttr<Tileaa_Enum info, string attrMnemonic> : EnumAttr<Tileaa_Dialect, info, attrMnemonic> {
  let assemblyFormat = "$value";
}

def Tileaa_Rounding : Tileaa_Enum<"Rounding", "rounding mode", [
    I32EnumAttrCase<"NearestEven", 0, "nearest_even">, I32EnumAttrCase<"Zero", 1, "zero">,
    I32EnumAttrCase<"NegativeInf", 2, "negative_inf">, I32EnumAttrCase<"PositiveInf", 3, "positive_inf">,
    I32EnumAttrCase<"NearestAway", 4, "nearest_away">]>;
def Tileaa_RoundingAttr : Tileaa_EnumAttr<Tileaa_Rounding, "rounding">;

def Tileaa_FloatKind : Tileaa_Enum<"FloatKind", "operation of tileaa.float", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Div", 3, "div">, I32EnumAttrCase<"Fma", 4, "fma">, I32EnumAttrCase<"Sqrt", 5, "sqrt">,
    I32EnumAttrCase<"Rsqrt", 6, "rsqrt">, I32EnumAttrCase<"Exp2", 7, "exp2">, I32EnumAttrCase<"Max", 8, "max">,
    I32EnumAttrCase<"Min", 9, "min">, I32EnumAttrCase<"Maximum", 10, "maximum">,
    I32EnumAttrCase<"Minimum", 11, "minimum">]>;
def Tileaa_FloatKindAttr : Tileaa_EnumAttr<Tileaa_FloatKind, "float_kind">;

// As of Tile IR, with the same words.
def Tileaa_Padding : Tileaa_Enum<"Padding", "elements of a view out of its bounds", [
    I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NegZero", 1, "neg_zero">, I32EnumAttrCase<"Nan", 2, "nan">,
    I32EnumAttrCase<"PosInf", 3, "pos_inf">, I32EnumAttrCase<"NegInf", 4, "neg_inf">]>;
def Tileaa_PaddingAttr : Tileaa_EnumAttr<Tileaa_Padding, "padding">;

// Enumerations that stand as an optional word alone, which only attributes without a dialect can.

def Tileaa_Ordering : I32EnumAttr<"Ordering", "memory ordering of an access", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]> {
  let cppNamespace = "::tilewright::tileaa";
}

// PTX ISA 9.7.9.1: `streaming` is .cs, evicted first.
def Tileaa_CachePolicy : I32EnumAttr<"CachePolicy", "how caches treat the data of an access", [
    I32EnumAttrCase<"Default", 0, "default">, I32EnumAttrCase<"Streaming", 1, "streaming">]> {
  let cppNamespace = "::tilewright::tileaa";
}

def Tileaa_ScanKind : I32EnumAttr<"ScanKind", "which elements a result of a scan combines", [
    I32EnumAttrCase<"Inclusive", 0, "inclusive">, I32EnumAttrCase<"Exclusive", 1, "exclusive">,
    I32EnumAttrCase<"Partial", 2, "partial">]> {
  let cppNamespace = "::tilewright::tileaa";
}

#endif
