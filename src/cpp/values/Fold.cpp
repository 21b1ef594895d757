// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/values/Fold.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::cpp {

using cuda_tile::ComparisonPredicate;

Attribute constantElement(Value value) {
  auto constant = value ? value.getDefiningOp<cuda_tile::ConstantOp>() : nullptr;
  if (!constant || !constant.getValue().isSplat() ||
      isa<cuda_tile::F8E5M3FNUType>(constant.getValue().getElementType()))
    return nullptr;
  return constant.getValue().getSplatValue<Attribute>();
}

std::optional<APInt> constantInteger(Value value) {
  auto number = dyn_cast_or_null<IntegerAttr>(constantElement(value));
  return number ? std::optional<APInt>(number.getValue()) : std::nullopt;
}

namespace {

bool isSignedAttr(const NamedAttrList &attributes) {
  auto attribute = dyn_cast_or_null<cuda_tile::SignednessAttr>(attributes.get("signedness"));
  return attribute && attribute.getValue() == cuda_tile::Signedness::Signed;
}

bool compares(ComparisonPredicate predicate, const APInt &a, const APInt &b, bool isSigned) {
  switch (predicate) {
  case ComparisonPredicate::Equal:
    return a == b;
  case ComparisonPredicate::NotEqual:
    return a != b;
  case ComparisonPredicate::LessThan:
    return isSigned ? a.slt(b) : a.ult(b);
  case ComparisonPredicate::LessThanOrEqual:
    return isSigned ? a.sle(b) : a.ule(b);
  case ComparisonPredicate::GreaterThan:
    return isSigned ? a.sgt(b) : a.ugt(b);
  case ComparisonPredicate::GreaterThanOrEqual:
    return isSigned ? a.sge(b) : a.uge(b);
  }
  llvm_unreachable("a predicate");
}

using BinaryFold = std::optional<APInt> (*)(const APInt &, const APInt &, bool isSigned);

// A quotient that is undefined stays an operation.
bool isDefined(const APInt &a, const APInt &b, bool isSigned) {
  return !b.isZero() && !(isSigned && a.isMinSignedValue() && b.isAllOnes());
}

const llvm::StringMap<BinaryFold> binaryFolds = {
    {"addi", [](const APInt &a, const APInt &b, bool) { return std::optional(a + b); }},
    {"subi", [](const APInt &a, const APInt &b, bool) { return std::optional(a - b); }},
    {"muli", [](const APInt &a, const APInt &b, bool) { return std::optional(a * b); }},
    {"andi", [](const APInt &a, const APInt &b, bool) { return std::optional(a & b); }},
    {"ori", [](const APInt &a, const APInt &b, bool) { return std::optional(a | b); }},
    {"xori", [](const APInt &a, const APInt &b, bool) { return std::optional(a ^ b); }},
    {"maxi", [](const APInt &a, const APInt &b,
                bool isSigned) { return std::optional((isSigned ? a.sgt(b) : a.ugt(b)) ? a : b); }},
    {"mini", [](const APInt &a, const APInt &b,
                bool isSigned) { return std::optional((isSigned ? a.slt(b) : a.ult(b)) ? a : b); }},
    {"shli", [](const APInt &a, const APInt &b,
                bool) { return b.uge(a.getBitWidth()) ? std::nullopt : std::optional(a.shl(b)); }},
    {"shri",
     [](const APInt &a, const APInt &b, bool isSigned) {
       return b.uge(a.getBitWidth()) ? std::nullopt : std::optional(isSigned ? a.ashr(b) : a.lshr(b));
     }},
    {"remi",
     [](const APInt &a, const APInt &b, bool isSigned) {
       return isDefined(a, b, isSigned) ? std::optional(isSigned ? a.srem(b) : a.urem(b)) : std::nullopt;
     }},
};

std::optional<APInt> foldQuotient(const APInt &a, const APInt &b, bool isSigned, cuda_tile::RoundingMode rounding) {
  if (!isDefined(a, b, isSigned))
    return std::nullopt;
  using Rounding = APInt::Rounding;
  Rounding mode = rounding == cuda_tile::RoundingMode::NegativeInf   ? Rounding::DOWN
                  : rounding == cuda_tile::RoundingMode::PositiveInf ? Rounding::UP
                                                                     : Rounding::TOWARD_ZERO;
  return isSigned ? llvm::APIntOps::RoundingSDiv(a, b, mode) : llvm::APIntOps::RoundingUDiv(a, b, mode);
}

Attribute foldIntegers(StringRef operation, const APInt &a, const APInt &b, const NamedAttrList &attributes,
                       Type element) {
  bool isSigned = isSignedAttr(attributes);
  if (operation == "cmpi") {
    auto predicate = cast<cuda_tile::ComparisonPredicateAttr>(attributes.get("comparison_predicate")).getValue();
    return IntegerAttr::get(element, APInt(1, compares(predicate, a, b, isSigned)));
  }
  std::optional<APInt> result;
  if (operation == "divi") {
    auto rounding = dyn_cast_or_null<cuda_tile::RoundingModeAttr>(attributes.get("rounding"));
    result = foldQuotient(a, b, isSigned, rounding ? rounding.getValue() : cuda_tile::RoundingMode::Zero);
  } else if (auto known = binaryFolds.find(operation); known != binaryFolds.end()) {
    result = known->second(a, b, isSigned);
  }
  return result ? IntegerAttr::get(element, *result) : Attribute();
}

Attribute foldInteger(StringRef operation, const APInt &a, const NamedAttrList &attributes, Type element) {
  bool isSigned = isSignedAttr(attributes);
  if (operation == "itof") {
    auto type = cast<FloatType>(element);
    APFloat number(type.getFloatSemantics());
    number.convertFromAPInt(a, isSigned, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(type, number);
  }
  std::optional<APInt> result;
  if (operation == "exti")
    result = isSigned ? a.sext(element.getIntOrFloatBitWidth()) : a.zext(element.getIntOrFloatBitWidth());
  else if (operation == "trunci")
    result = a.trunc(element.getIntOrFloatBitWidth());
  else if (operation == "negi")
    result = -a;
  else if (operation == "absi")
    result = a.abs();
  return result ? IntegerAttr::get(element, *result) : Attribute();
}

} // namespace

Attribute fold(StringRef operation, ArrayRef<Attribute> operands, const NamedAttrList &attributes, Type element) {
  if (operation == "select") {
    auto condition = dyn_cast_or_null<IntegerAttr>(operands[0]);
    return !condition ? Attribute() : condition.getValue().isZero() ? operands[2] : operands[1];
  }
  if (!llvm::all_of(operands, [](Attribute operand) { return bool(operand); }) ||
      isa<cuda_tile::F8E5M3FNUType>(element))
    return nullptr;
  if (operands.size() == 2)
    if (auto a = dyn_cast<IntegerAttr>(operands[0]))
      if (auto b = dyn_cast<IntegerAttr>(operands[1]))
        return foldIntegers(operation, a.getValue(), b.getValue(), attributes, element);
  if (operands.size() != 1)
    return nullptr;
  if (auto a = dyn_cast<IntegerAttr>(operands[0]))
    return foldInteger(operation, a.getValue(), attributes, element);
  if (auto a = dyn_cast<FloatAttr>(operands[0])) {
    APFloat number = a.getValue();
    bool losesInfo;
    if (operation == "negf")
      return FloatAttr::get(element, -number);
    if (operation == "ftof" && !attributes.get("rounding_mode")) {
      number.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      return FloatAttr::get(element, number);
    }
  }
  return nullptr;
}

Value foldToOperand(StringRef operation, ValueRange operands) {
  if (operands.size() != 2)
    return nullptr;
  auto is = [&](unsigned i, uint64_t number) {
    std::optional<APInt> constant = constantInteger(operands[i]);
    return constant && *constant == number;
  };
  if (operation == "addi")
    return is(0, 0) ? operands[1] : is(1, 0) ? operands[0] : Value();
  if (operation == "muli")
    return is(0, 1) || is(1, 0) ? operands[1] : is(1, 1) || is(0, 0) ? operands[0] : Value();
  // Of i1 and more bits: the bits of 0 and of -1.
  if (operation == "ori" || operation == "xori")
    return is(0, 0) ? operands[1] : is(1, 0) ? operands[0] : Value();
  if (operation == "subi" || operation == "offset")
    return is(1, 0) ? operands[0] : Value();
  return nullptr;
}

} // namespace tilewright::cpp
