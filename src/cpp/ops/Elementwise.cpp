// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/ops/Elementwise.h"

using namespace mlir;

namespace tilewright::cpp {

using cuda_tile::ComparisonPredicate;
using cuda_tile::RoundingMode;

namespace {

enum Trait : unsigned {
  Wraps = 1,   // signed integers do not
  Signed = 2,  // of integers: has a signedness
  Rounds = 4,  // of floats: has a rounding mode
  Flushes = 8, // of floats: may flush subnormals to zero
  Nans = 16,   // of floats: may propagate NaN
};

/// An operation of cuda_tile.h as those of the dialect for integers and for floats.
struct Row {
  StringRef name, integer, floating;
  unsigned traits = 0;
};

const Row rows[] = {
    {"add", "addi", "addf", Wraps | Rounds | Flushes},
    {"sub", "subi", "subf", Wraps | Rounds | Flushes},
    {"mul", "muli", "mulf", Wraps | Rounds | Flushes},
    {"div", "divi", "divf", Signed | Rounds | Flushes},
    {"rem", "remi", "remf", Signed},
    {"max", "maxi", "maxf", Signed | Nans | Flushes},
    {"min", "mini", "minf", Signed | Nans | Flushes},
    {"neg", "negi", "negf", Wraps},
    {"abs", "absi", "absf"},
    {"bit_and", "andi", ""},
    {"bit_or", "ori", ""},
    {"bit_xor", "xori", ""},
    {"shift_left", "shli", ""},
    {"shift_right", "shri", "", Signed},
    {"fma", "", "fma", Rounds | Flushes},
    {"ceil", "", "ceil"},
    {"floor", "", "floor"},
    {"sin", "", "sin"},
    {"cos", "", "cos"},
    {"tan", "", "tan"},
    {"sinh", "", "sinh"},
    {"cosh", "", "cosh"},
    {"log", "", "log"},
    {"log2", "", "log2"},
    {"exp", "", "exp", Rounds},
    {"tanh", "", "tanh", Rounds},
    {"exp2", "", "exp2", Flushes},
    {"rsqrt", "", "rsqrt", Flushes},
    {"sqrt", "", "sqrt", Rounds | Flushes},
    {"pow", "", "fpowf"},
    {"powi", "", "fpowi"},
    {"atan2", "", "atan2"},
};

struct Comparison {
  StringRef name;
  ComparisonPredicate predicate;
};
const Comparison comparisons[] = {
    {"less", ComparisonPredicate::LessThan},       {"less_equal", ComparisonPredicate::LessThanOrEqual},
    {"greater", ComparisonPredicate::GreaterThan}, {"greater_equal", ComparisonPredicate::GreaterThanOrEqual},
    {"equal", ComparisonPredicate::Equal},         {"not_equal", ComparisonPredicate::NotEqual},
};

NamedAttribute rounding(Emitter &emitter, StringRef name, RoundingMode mode) {
  return emitter.named(name, cuda_tile::RoundingModeAttr::get(emitter.builder.getContext(), mode));
}

// The dialect has the product of unsigned integers. Of signed ones, a negative factor has counted 2^n times the other
// one too much.
Value buildHighProduct(Emitter &emitter, Value a, Value b, bool isSigned) {
  Value high = emitter.create("mulhii", {a, b}, a.getType());
  if (!isSigned)
    return high;
  Value zero = emitter.zero(tileTypeOf(a));
  for (auto [factor, other] : {std::pair(a, b), std::pair(b, a)}) {
    Value isNegative = emitter.compare(ComparisonPredicate::LessThan, factor, zero, true);
    Value excess = emitter.create("select", {isNegative, other, zero}, a.getType());
    high = emitter.create("subi", {high, excess}, a.getType());
  }
  return high;
}

} // namespace

SmallVector<NamedAttribute> conversionAttributes(Emitter &emitter, const Modifiers &modifiers) {
  SmallVector<NamedAttribute> result;
  if (modifiers.rounding)
    result.push_back(rounding(emitter, "rounding_mode", *modifiers.rounding));
  if (modifiers.saturates)
    result.push_back(emitter.named("saturating", emitter.builder.getUnitAttr()));
  return result;
}

Value buildElementwise(Emitter &emitter, StringRef name, ArrayRef<Value> operands, bool isSigned,
                       const Modifiers &modifiers) {
  cuda_tile::TileType type = tileTypeOf(operands[0]);
  bool isInteger = isa<IntegerType>(type.getElementType());
  if (const auto *found = llvm::find_if(comparisons, [&](const Comparison &row) { return row.name == name; });
      found != std::end(comparisons))
    return emitter.compare(found->predicate, operands[0], operands[1], isSigned);
  if (name == "select")
    return emitter.create("select", operands, operands[1].getType());
  if (name == "bit_not" && isInteger)
    return emitter.create("xori", {operands[0], emitter.integer(-1, type)}, type);
  if (name == "mulhi" && isInteger)
    return buildHighProduct(emitter, operands[0], operands[1], isSigned);
  if ((name == "ceildiv" || name == "floordiv") && isInteger) {
    SmallVector<NamedAttribute> attributes = {emitter.signedness(isSigned)};
    if (name == "ceildiv" || isSigned) // of unsigned integers it is the quotient
      attributes.push_back(
          rounding(emitter, "rounding", name == "ceildiv" ? RoundingMode::PositiveInf : RoundingMode::NegativeInf));
    return emitter.create("divi", operands, type, attributes);
  }
  if (name == "abs" && isInteger && !isSigned)
    return operands[0];

  const Row *row = llvm::find_if(rows, [&](const Row &candidate) { return candidate.name == name; });
  if (row == std::end(rows))
    return nullptr;
  StringRef operation = isInteger ? row->integer : row->floating;
  if (operation.empty())
    return nullptr;
  SmallVector<NamedAttribute> attributes;
  auto flag = [&](Trait trait, bool isWanted, StringRef attribute) {
    if ((row->traits & trait) && isWanted)
      attributes.push_back(emitter.named(attribute, emitter.builder.getUnitAttr()));
  };
  if (isInteger) {
    if (row->traits & Signed)
      attributes.push_back(emitter.signedness(isSigned));
    if ((row->traits & Wraps) && isSigned)
      attributes.push_back(
          emitter.named("overflow", cuda_tile::IntegerOverflowAttr::get(emitter.builder.getContext(),
                                                                        cuda_tile::IntegerOverflow::NSW)));
  } else {
    if ((row->traits & Rounds) && modifiers.rounding)
      attributes.push_back(rounding(emitter, "rounding_mode", *modifiers.rounding));
    flag(Flushes, modifiers.flushesToZero, "flush_to_zero");
    flag(Nans, modifiers.propagatesNan, "propagate_nan");
  }
  return emitter.create(operation, operands, type, attributes);
}

} // namespace tilewright::cpp
