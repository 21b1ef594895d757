// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations (values are the bytes of the bytecode) and structured attributes.
#ifndef TILEWRIGHT_CUDA_TILE_IR_ATTRS_TD
#define TILEWRIGHT_CUDA_TILE_IR_ATTRS_TD

include "cuda_tile/ir/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class CudaTile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::cuda_tile";
  let genSpecializedAttr = 0;
}
// A value that came later than the enumeration.
class CudaTile_LaterCase<string version, string symbol, int number, string spelling>
    : I32EnumAttrCase<symbol, number, spelling> {
  string since = version;
}
class CudaTile_EnumAttr<CudaTile_Enum info, string mnemonic>
    : EnumAttr<CudaTile_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def CudaTile_Signedness : CudaTile_Enum<"Signedness", "interpretation of the bits of an integer", [
    I32EnumAttrCase<"Unsigned", 0, "unsigned">, I32EnumAttrCase<"Signed", 1, "signed">]>;
def CudaTile_SignednessAttr : CudaTile_EnumAttr<CudaTile_Signedness, "signedness">;

def CudaTile_IntegerOverflow : CudaTile_Enum<"IntegerOverflow", "overflow that the program excludes", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"NSW", 1, "no_signed_wrap">,
    I32EnumAttrCase<"NUW", 2, "no_unsigned_wrap">, I32EnumAttrCase<"NW", 3, "no_wrap">]>;
def CudaTile_IntegerOverflowAttr : CudaTile_EnumAttr<CudaTile_IntegerOverflow, "overflow">;

def CudaTile_RoundingMode : CudaTile_Enum<"RoundingMode", "rounding of an inexact result", [
    I32EnumAttrCase<"NearestEven", 0, "nearest_even">, I32EnumAttrCase<"Zero", 1, "zero">,
    I32EnumAttrCase<"NegativeInf", 2, "negative_inf">, I32EnumAttrCase<"PositiveInf", 3, "positive_inf">,
    I32EnumAttrCase<"Approx", 4, "approx">, I32EnumAttrCase<"Full", 5, "full">,
    I32EnumAttrCase<"NearestIntToZero", 6, "nearest_int_to_zero">,
    CudaTile_LaterCase<"13.4", "NearestAway", 7, "nearest_away">]>;
def CudaTile_RoundingModeAttr : CudaTile_EnumAttr<CudaTile_RoundingMode, "rounding">;

def CudaTile_ComparisonPredicate : CudaTile_Enum<"ComparisonPredicate", "relation a comparison tests", [
    I32EnumAttrCase<"Equal", 0, "equal">, I32EnumAttrCase<"NotEqual", 1, "not_equal">,
    I32EnumAttrCase<"LessThan", 2, "less_than">,
    I32EnumAttrCase<"LessThanOrEqual", 3, "less_than_or_equal">,
    I32EnumAttrCase<"GreaterThan", 4, "greater_than">,
    I32EnumAttrCase<"GreaterThanOrEqual", 5, "greater_than_or_equal">]>;
def CudaTile_ComparisonPredicateAttr
    : CudaTile_EnumAttr<CudaTile_ComparisonPredicate, "comparison_predicate">;

def CudaTile_ComparisonOrdering : CudaTile_Enum<"ComparisonOrdering", "result of comparing with NaN", [
    I32EnumAttrCase<"Unordered", 0, "unordered">, I32EnumAttrCase<"Ordered", 1, "ordered">]>;
def CudaTile_ComparisonOrderingAttr
    : CudaTile_EnumAttr<CudaTile_ComparisonOrdering, "comparison_ordering">;

def CudaTile_AtomicRMWMode : CudaTile_Enum<"AtomicRMWMode", "function an atomic applies", [
    I32EnumAttrCase<"AND", 0, "and">, I32EnumAttrCase<"OR", 1, "or">,
    I32EnumAttrCase<"XOR", 2, "xor">, I32EnumAttrCase<"ADD", 3, "add">,
    I32EnumAttrCase<"ADDF", 4, "addf">, I32EnumAttrCase<"MAX", 5, "max">,
    I32EnumAttrCase<"MIN", 6, "min">, I32EnumAttrCase<"UMAX", 7, "umax">,
    I32EnumAttrCase<"UMIN", 8, "umin">, I32EnumAttrCase<"XCHG", 9, "xchg">]>;
def CudaTile_AtomicRMWModeAttr : CudaTile_EnumAttr<CudaTile_AtomicRMWMode, "atomic_rmw_mode">;

def CudaTile_MultimemReductionKind
    : CudaTile_Enum<"MultimemReductionKind", "function a multicast reduction applies", [
    I32EnumAttrCase<"ADD", 0, "add">, I32EnumAttrCase<"MIN", 1, "min">,
    I32EnumAttrCase<"MAX", 2, "max">, I32EnumAttrCase<"AND", 3, "and">,
    I32EnumAttrCase<"OR", 4, "or">, I32EnumAttrCase<"XOR", 5, "xor">,
    I32EnumAttrCase<"UMIN", 6, "umin">, I32EnumAttrCase<"UMAX", 7, "umax">]>;
def CudaTile_MultimemReductionKindAttr
    : CudaTile_EnumAttr<CudaTile_MultimemReductionKind, "multimem_reduction_kind">;

def CudaTile_MemoryOrderingSemantics : CudaTile_Enum<"MemoryOrderingSemantics", "memory ordering", [
    I32EnumAttrCase<"WEAK", 0, "weak">, I32EnumAttrCase<"RELAXED", 1, "relaxed">,
    I32EnumAttrCase<"ACQUIRE", 2, "acquire">, I32EnumAttrCase<"RELEASE", 3, "release">,
    I32EnumAttrCase<"ACQ_REL", 4, "acq_rel">]>;
def CudaTile_MemoryOrderingSemanticsAttr
    : CudaTile_EnumAttr<CudaTile_MemoryOrderingSemantics, "memory_ordering_semantics">;

def CudaTile_MemoryScope : CudaTile_Enum<"MemoryScope", "threads an ordering reaches", [
    I32EnumAttrCase<"TL_BLK", 0, "tl_blk">, I32EnumAttrCase<"DEVICE", 1, "device">,
    I32EnumAttrCase<"SYS", 2, "sys">]>;
def CudaTile_MemoryScopeAttr : CudaTile_EnumAttr<CudaTile_MemoryScope, "memory_scope">;

def CudaTile_PaddingValue : CudaTile_Enum<"PaddingValue", "element a load gives outside of the tensor", [
    I32EnumAttrCase<"zero", 0, "zero">, I32EnumAttrCase<"neg_zero", 1, "neg_zero">,
    I32EnumAttrCase<"nan", 2, "nan">, I32EnumAttrCase<"pos_inf", 3, "pos_inf">,
    I32EnumAttrCase<"neg_inf", 4, "neg_inf">]>;
def CudaTile_PaddingValueAttr : CudaTile_EnumAttr<CudaTile_PaddingValue, "padding_value">;

def CudaTile_SymbolVisibility : CudaTile_Enum<"SymbolVisibility", "visibility of a global", [
    I32EnumAttrCase<"Public", 0, "public">, I32EnumAttrCase<"Private", 1, "private">]>;
def CudaTile_SymbolVisibilityAttr : CudaTile_EnumAttr<CudaTile_SymbolVisibility, "symbol_visibility">;

// 13.4 has `none` only.
def CudaTile_PointerKind : CudaTile_Enum<"PointerKind", "kind of a pointer", [
    I32EnumAttrCase<"None", 0, "none">, CudaTile_LaterCase<"13.5", "Unicast", 1, "unicast">,
    CudaTile_LaterCase<"13.5", "Multicast", 2, "multicast">]>;
def CudaTile_PointerKindAttr : CudaTile_EnumAttr<CudaTile_PointerKind, "ptr_attr">;

class CudaTile_Attr<string name, string attrMnemonic> : AttrDef<CudaTile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def CudaTile_DivByAttr : CudaTile_Attr<"DivBy", "div_by"> {
  let summary = "the value is a multiple of a power of two";
  let description = [{
    `div_by<16>`: every element is a multiple of 16. `div_by<16, every 4 along 0>`: of each
    group of 4 elements along dimension 0 the first one is.
  }];
  let parameters = (ins "uint64_t":$divisor, OptionalParameter<"std::optional<int64_t>">:$every,
                        OptionalParameter<"std::optional<int64_t>">:$along);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_SameElementsAttr : CudaTile_Attr<"SameElements", "same_elements"> {
  let summary = "aligned groups of equal consecutive elements";
  let description = [{`same_elements<[1, 4]>`: in dimension i each aligned group of values[i] elements is equal.}];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$values);
  let assemblyFormat = "`<` $values `>`";
  let genVerifyDecl = 1;
}

def CudaTile_BoundedAttr : CudaTile_Attr<"Bounded", "bounded"> {
  let summary = "inclusive signed bounds of the value";
  let description = [{`bounded<0, ?>`: not negative. A question mark is an open end.}];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$lb,
                        OptionalParameter<"std::optional<int64_t>">:$ub);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_OptimizationHintsAttr : CudaTile_Attr<"OptimizationHints", "optimization_hints"> {
  let summary = "hints by architecture";
  let description = [{
    `optimization_hints<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}>`. Results never depend on a hint.
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The hint `name` for `architecture`, or the one under `default`, or null.
    ::mlir::Attribute lookup(::llvm::StringRef architecture, ::llvm::StringRef name) const;
  }];
}

def CudaTile_AssumePredicate : AnyAttrOf<
    [CudaTile_DivByAttr, CudaTile_SameElementsAttr, CudaTile_BoundedAttr], "predicate of an assume">;

def CudaTile_DenseElementsAttr
    : Attr<CPred<"::llvm::isa<::mlir::DenseElementsAttr>($_self)">, "dense elements of a tile"> {
  let storageType = "::mlir::DenseElementsAttr";
  let returnType = "::mlir::DenseElementsAttr";
  let convertFromStorage = "$_self";
}

#endif
