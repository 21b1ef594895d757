// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise work on numbers of one type: a row per operation.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

// The attributes that a row may draw.
enum Flags : unsigned {
  Sign = 1,
  Overflow = 2, // promises hold only for small operands
  RoundsFloat = 4,
  RoundsQuotient = 8,
  RoundsCheaply = 16, // also the modes approx and full
  Flush = 32,
  PropagateNan = 64,
  // Its result may differ in the last places.
  Bounded = 128,
};

struct Rule {
  llvm::StringLiteral mnemonic;
  unsigned numOperands;
  ElementSet elements;
  unsigned flags;
  unsigned weight = 4;
  // Representable numbers a result may be away, where Bounded.
  uint64_t tolerance = 0;
};

constexpr Rule rules[] = {
    {"absi", 1, integers, 0},
    {"negi", 1, integers, Overflow},
    {"addi", 2, integers, Overflow},
    {"subi", 2, integers, Overflow},
    {"muli", 2, integers, Overflow},
    {"mulhii", 2, integers, 0},
    {"maxi", 2, integers, Sign},
    {"mini", 2, integers, Sign},
    {"andi", 2, integers, 0},
    {"ori", 2, integers, 0},
    {"xori", 2, integers, 0},
    {"shli", 2, words, Overflow},
    {"shri", 2, words, Sign},
    {"divi", 2, words, Sign | RoundsQuotient},
    {"remi", 2, words, Sign},
    {"absf", 1, floats, 0},
    {"negf", 1, floats, 0},
    {"addf", 2, floats, RoundsFloat | Flush},
    {"subf", 2, floats, RoundsFloat | Flush},
    {"mulf", 2, floats, RoundsFloat | Flush},
    {"divf", 2, floats, RoundsFloat | Flush},
    {"fma", 3, floats, RoundsFloat | Flush},
    {"remf", 2, floats, 0, 2},
    {"maxf", 2, floats, PropagateNan | Flush},
    {"minf", 2, floats, PropagateNan | Flush},
    {"ceil", 1, floats, 0},
    {"floor", 1, floats, 0},
    {"sqrt", 1, floats, RoundsFloat | Flush},
    {"divf", 2, setOf(Element::F32), RoundsCheaply | Bounded, 1, 8},
    {"sqrt", 1, setOf(Element::F32), RoundsCheaply | Bounded, 1, 8},
    {"exp", 1, floats, RoundsCheaply | Bounded, 1, 8},
    {"exp2", 1, floats, Flush | Bounded, 1, 8},
    {"rsqrt", 1, floats, Flush | Bounded, 1, 8},
    {"log", 1, floats, Bounded, 1, 8},
    {"log2", 1, floats, Bounded, 1, 8},
    {"sin", 1, floats, Bounded, 1, 8},
    {"cos", 1, floats, Bounded, 1, 8},
    {"tan", 1, floats, Bounded, 1, 8},
    {"sinh", 1, floats, Bounded, 1, 8},
    {"cosh", 1, floats, Bounded, 1, 8},
    {"tanh", 1, floats, RoundsCheaply | Bounded, 1, 8},
    {"atan2", 2, floats, Bounded, 1, 8},
    {"fpowf", 2, floats, Bounded, 1, 8},
};

SmallVector<NamedAttribute> drawAttributes(Body &body, const Rule &rule, ct::Signedness sign,
                                           ct::IntegerOverflow overflow) {
  using Mode = ct::RoundingMode;
  SmallVector<NamedAttribute> attributes;
  Random &random = body.random;
  if (rule.flags & Sign)
    attributes.push_back(body.enumAttribute<ct::SignednessAttr>("signedness", sign));
  if (rule.flags & Overflow)
    attributes.push_back(body.enumAttribute<ct::IntegerOverflowAttr>("overflow", overflow));
  if (rule.flags & RoundsFloat)
    attributes.push_back(body.enumAttribute<ct::RoundingModeAttr>(
        "rounding_mode", random.pick({Mode::NearestEven, Mode::NearestEven, Mode::NearestEven, Mode::Zero,
                                      Mode::NegativeInf, Mode::PositiveInf})));
  if (rule.flags & RoundsCheaply)
    attributes.push_back(
        body.enumAttribute<ct::RoundingModeAttr>("rounding_mode", random.pick({Mode::Approx, Mode::Full})));
  if (rule.flags & RoundsQuotient)
    attributes.push_back(body.enumAttribute<ct::RoundingModeAttr>(
        "rounding", random.pick({Mode::Zero, Mode::NegativeInf, Mode::PositiveInf})));
  if (rule.flags & Flush && random.chance(20))
    attributes.push_back(body.attribute("flush_to_zero", body.builder.getUnitAttr()));
  if (rule.flags & PropagateNan && random.chance(50))
    attributes.push_back(body.attribute("propagate_nan", body.builder.getUnitAttr()));
  return attributes;
}

// Clamps the operands to where the operation is defined.
void guardOperands(Body &body, const Rule &rule, ct::TileType type, ct::Signedness sign, ct::IntegerOverflow overflow,
                   SmallVectorImpl<Value> &operands) {
  bool isDivision = rule.mnemonic == "divi" || rule.mnemonic == "remi";
  if (isDivision) {
    // Neither 0 nor -1: unsigned, the divisor plus 1 is at least 2.
    Value next = body.binary("addi", operands[1], body.splat(type, 1));
    Value isBad = body.compare(ct::ComparisonPredicate::LessThan, ct::Signedness::Unsigned, next, body.splat(type, 2));
    operands[1] = body.select(isBad, body.splat(type, body.random.pick<int64_t>({1, 3, 7, 16})), operands[1]);
  }
  bool isShift = rule.mnemonic == "shli" || rule.mnemonic == "shri";
  if (isShift)
    operands[1] = body.binary("andi", operands[1],
                              body.splat(type, overflow == ct::IntegerOverflow::None
                                                   ? type.getElementType().getIntOrFloatBitWidth() - 1
                                                   : 1));
  if (overflow == ct::IntegerOverflow::None)
    return;
  // 8 to 15, and 0 to 7 (negated: to 0): nothing wraps, signed or not, in 8 bits.
  bool promisesUnsigned = overflow != ct::IntegerOverflow::NSW;
  if (rule.mnemonic == "negi") {
    operands[0] = body.binary("andi", operands[0], body.splat(type, promisesUnsigned ? 0 : 7));
    return;
  }
  operands[0] = body.binary("andi", operands[0], body.splat(type, 7));
  if (rule.mnemonic != "muli")
    operands[0] = body.binary("ori", operands[0], body.splat(type, 8));
  if (!isShift)
    operands[1] = body.binary("andi", operands[1], body.splat(type, 7));
}

bool writeElementwise(Body &body, const Rule &rule) {
  ct::TileType type = body.someTile(rule.elements);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < rule.numOperands; ++i)
    operands.push_back(body.pick(type));
  ct::Signedness sign = body.random.pick({ct::Signedness::Signed, ct::Signedness::Unsigned});
  auto overflow = ct::IntegerOverflow::None;
  if (rule.flags & Overflow && type.getElementType().getIntOrFloatBitWidth() > 1 && body.random.chance(20))
    overflow = rule.mnemonic == "negi"
                   ? body.random.pick({ct::IntegerOverflow::NSW, ct::IntegerOverflow::NW})
                   : body.random.pick({ct::IntegerOverflow::NSW, ct::IntegerOverflow::NUW, ct::IntegerOverflow::NW});
  guardOperands(body, rule, type, sign, overflow, operands);
  Operation *written =
      body.draw(rule.mnemonic, operands, type, [&] { return drawAttributes(body, rule, sign, overflow); });
  if (!written)
    return false;
  Value result = written->getResult(0);
  if (!(rule.flags & Bounded)) {
    body.keep(result);
    return true;
  }
  if (body.canSink())
    body.sink(result, rule.tolerance);
  // Whether there is a number is exact.
  Value isNumber = body.make(
      "cmpf", {result, result}, body.tile(type.getShape(), Element::I1),
      {body.enumAttribute<ct::ComparisonPredicateAttr>("comparison_predicate", ct::ComparisonPredicate::Equal),
       body.enumAttribute<ct::ComparisonOrderingAttr>("comparison_ordering", ct::ComparisonOrdering::Ordered)});
  body.keep(body.random.chance(50) ? isNumber : body.select(isNumber, body.pick(type), body.pick(type)));
  return true;
}

bool writePowerOfInteger(Body &body) {
  ct::TileType type = body.someTile(floats);
  ct::TileType exponent = body.tile(type.getShape(), body.someElement(words & ~setOf(Element::I64)));
  // Repeated products round each time: exact where base and exponent are small.
  Value power = body.binary("subi", body.masked(exponent, 3), body.splat(exponent, body.random.between(0, 2)));
  Value base = body.small(type, 2);
  body.keep(body.make("fpowi", {base, power}, type));
  return true;
}

bool writeCompareIntegers(Body &body) {
  ct::TileType type = body.someTile(integers);
  auto predicate = static_cast<ct::ComparisonPredicate>(body.random.below(6));
  auto sign = body.random.pick({ct::Signedness::Signed, ct::Signedness::Unsigned});
  body.keep(body.compare(predicate, sign, body.pick(type), body.pick(type)));
  return true;
}

bool writeCompareFloats(Body &body) {
  ct::TileType type = body.someTile(floats);
  Value lhs = body.pick(type), rhs = body.pick(type);
  body.keep(body.make("cmpf", {lhs, rhs}, body.tile(type.getShape(), Element::I1),
                      {body.enumAttribute<ct::ComparisonPredicateAttr>(
                           "comparison_predicate", static_cast<ct::ComparisonPredicate>(body.random.below(6))),
                       body.enumAttribute<ct::ComparisonOrderingAttr>(
                           "comparison_ordering",
                           body.random.pick({ct::ComparisonOrdering::Ordered, ct::ComparisonOrdering::Unordered}))}));
  return true;
}

} // namespace

void addArithmetic(Productions &productions) {
  for (const Rule &rule : rules)
    productions.push_back({rule.mnemonic, rule.weight, [&rule](Body &body) { return writeElementwise(body, rule); }});
  productions.push_back({"cmpi", 6, writeCompareIntegers});
  productions.push_back({"cmpf", 6, writeCompareFloats});
  productions.push_back({"fpowi", 2, writePowerOfInteger});
}

} // namespace tilewright::programs
