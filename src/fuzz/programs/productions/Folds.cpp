// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans by functions that give one result in any order, written in different ways.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

// A function of pairs. Values holds the left and the right operand of each tile, and then the results.
struct Fold {
  // Elements of the tiles; what they have to be is in prepare().
  SmallVector<Element> elements;
  SmallVector<uint64_t> identities; // bits
  std::function<SmallVector<Value>(Body &, ArrayRef<Value>)> combine;
  // Only one after the other.
  bool isOrdered = false;
  // Operands are floats that are small integers; without NaN.
  bool wantsSmall = false, wantsNumbers = false, countsIndices = false;
};

Value onePair(Body &body, StringRef mnemonic, ArrayRef<Value> pair, ArrayRef<NamedAttribute> attributes = {}) {
  return body.make(mnemonic, {pair[0], pair[1]}, pair[0].getType(), attributes);
}

NamedAttribute sign(Body &body, ct::Signedness signedness) {
  return body.enumAttribute<ct::SignednessAttr>("signedness", signedness);
}

uint64_t allOnes(Element element) {
  return llvm::maskTrailingOnes<uint64_t>(bitWidth(element));
}
uint64_t signBit(Element element) {
  return 1ull << (bitWidth(element) - 1);
}

// Sums, as one operation or as bits and carries.
Fold makeSum(Body &body, Element element) {
  unsigned form = body.random.below(3);
  return {{element}, {0}, [form](Body &body, ArrayRef<Value> pair) -> SmallVector<Value> {
            if (form == 0 || pair[0].getType() == body.tile({}, Element::I1))
              return {onePair(body, "addi", pair)};
            if (form == 1) {
              Value negated = body.make("negi", pair[1], pair[1].getType());
              return {body.binary("subi", pair[0], negated)};
            }
            return {body.binary("addi", onePair(body, "ori", pair), onePair(body, "andi", pair))};
          }};
}

Fold makeBitwise(Body &body, Element element) {
  StringRef mnemonic = body.random.pick<StringRef>({"andi", "ori", "xori", "muli"});
  uint64_t identity = mnemonic == "andi" ? allOnes(element) : mnemonic == "muli" ? 1 : 0;
  bool isDifference = mnemonic == "xori" && body.random.chance(50);
  return {{element}, {identity}, [=](Body &body, ArrayRef<Value> pair) -> SmallVector<Value> {
            if (isDifference)
              return {body.binary("subi", onePair(body, "ori", pair), onePair(body, "andi", pair))};
            return {onePair(body, mnemonic, pair)};
          }};
}

Fold makeExtremum(Body &body, Element element) {
  bool isMax = body.random.chance(50), isSelect = body.random.chance(50);
  auto signedness = body.random.pick({ct::Signedness::Signed, ct::Signedness::Unsigned});
  uint64_t lowest = signedness == ct::Signedness::Signed ? signBit(element) : 0;
  uint64_t identity = isMax ? lowest : allOnes(element) ^ lowest;
  return {{element}, {identity}, [=](Body &body, ArrayRef<Value> pair) -> SmallVector<Value> {
            if (!isSelect)
              return {onePair(body, isMax ? "maxi" : "mini", pair, sign(body, signedness))};
            Value less = body.compare(ct::ComparisonPredicate::LessThan, signedness, pair[0], pair[1]);
            return {isMax ? body.select(less, pair[1], pair[0]) : body.select(less, pair[0], pair[1])};
          }};
}

Fold makeFloatSum(Body &, Element element) {
  Fold fold{{element}, {encode(element, 0)}, [](Body &body, ArrayRef<Value> pair) -> SmallVector<Value> {
              return {onePair(body, "addf", pair)};
            }};
  fold.wantsSmall = true;
  return fold;
}

Fold makeFloatExtremum(Body &body, Element element) {
  bool isMax = body.random.chance(50), propagates = body.random.chance(50);
  return {{element},
          {encode(element, isMax ? -INFINITY : INFINITY)},
          [=](Body &body, ArrayRef<Value> pair) -> SmallVector<Value> {
            SmallVector<NamedAttribute> attributes;
            if (propagates)
              attributes.push_back(body.attribute("propagate_nan", body.builder.getUnitAttr()));
            return {onePair(body, isMax ? "maxf" : "minf", pair, attributes)};
          }};
}

// The largest number and where it is, the first of equals.
Fold makeArgmax(Body &body, Element element) {
  Element place = body.random.pick<Element>({Element::I32, Element::I64, Element::I16});
  uint64_t identity = isFloat(element) ? encode(element, -INFINITY) : signBit(element);
  Fold fold{
      {element, place}, {identity, allOnes(place) >> 1}, [](Body &body, ArrayRef<Value> pairs) -> SmallVector<Value> {
        bool isFloats = isa<FloatType>(cast<ct::TileType>(pairs[0].getType()).getElementType());
        auto test = [&](ct::ComparisonPredicate predicate) {
          if (!isFloats)
            return body.compare(predicate, ct::Signedness::Signed, pairs[0], pairs[1]);
          return body.make(
              "cmpf", {pairs[0], pairs[1]}, body.tile({}, Element::I1),
              {body.enumAttribute<ct::ComparisonPredicateAttr>("comparison_predicate", predicate),
               body.enumAttribute<ct::ComparisonOrderingAttr>("comparison_ordering", ct::ComparisonOrdering::Ordered)});
        };
        Value greater = test(ct::ComparisonPredicate::GreaterThan), equal = test(ct::ComparisonPredicate::Equal);
        Value before = body.compare(ct::ComparisonPredicate::LessThan, ct::Signedness::Signed, pairs[2], pairs[3]);
        Value left = body.binary("ori", greater, body.binary("andi", equal, before));
        return {body.select(left, pairs[0], pairs[1]), body.select(left, pairs[2], pairs[3])};
      }};
  fold.wantsNumbers = isFloat(element);
  fold.countsIndices = true;
  return fold;
}

// x -> a x + b, one map after the other: associative, not commutative.
Fold makeMaps(Body &, Element element) {
  Fold fold{{element, element}, {1, 0}, [](Body &body, ArrayRef<Value> pairs) -> SmallVector<Value> {
              Value slope = body.binary("muli", pairs[0], pairs[1]);
              return {slope, body.binary("addi", body.binary("muli", pairs[2], pairs[1]), pairs[3])};
            }};
  fold.isOrdered = true;
  return fold;
}

// Two sums at once.
Fold makePairOfSums(Body &body, Element element) {
  Element other = body.someElement(words);
  return {{element, other}, {0, allOnes(other)}, [](Body &body, ArrayRef<Value> pairs) -> SmallVector<Value> {
            return {body.binary("addi", pairs[0], pairs[1]), body.binary("andi", pairs[2], pairs[3])};
          }};
}

Value makeOperand(Body &body, const Fold &fold, size_t number, ArrayRef<int64_t> shape, int64_t dim) {
  ct::TileType type = body.tile(shape, fold.elements[number]);
  if (fold.wantsSmall)
    return body.small(type, 2);
  if (fold.countsIndices && number == 1) {
    int64_t extent = shape[dim];
    Shape once(shape.size(), 1);
    once[dim] = extent;
    Value iota = body.make("iota", {}, body.tile(extent, fold.elements[number]));
    return body.make("broadcast", body.make("reshape", iota, body.tile(once, fold.elements[number])), type);
  }
  Value value = body.pick(type);
  return fold.wantsNumbers ? body.withoutNan(value) : value;
}

bool writeFold(Body &body, bool isScan) {
  Shape shape = body.someShape();
  if (shape.empty())
    return false;
  int64_t dim = body.random.below(shape.size());
  using Maker = Fold (*)(Body &, Element);
  Fold fold;
  if (llvm::any_of(body.elements, interpreter::isFloat) && body.random.chance(45)) {
    Element element = body.someElement(floats);
    fold = body.random.pick<Maker>({makeFloatSum, makeFloatExtremum, makeArgmax})(body, element);
    // Sums stay within the integers that the type holds.
    if (fold.wantsSmall && element == Element::BF16 && shape[dim] > 64)
      return false;
  } else {
    fold = body.random.pick<Maker>({makeSum, makeBitwise, makeExtremum, makeArgmax, makePairOfSums, makeMaps})(
        body, body.someElement(body.random.chance(15) ? setOf(Element::I1) : words));
    if (fold.isOrdered && !isScan)
      return false;
  }
  SmallVector<Value> operands;
  SmallVector<Type> results, scalars;
  SmallVector<Attribute> identities;
  for (size_t i = 0; i < fold.elements.size(); ++i) {
    operands.push_back(makeOperand(body, fold, i, shape, dim));
    Shape reduced(shape);
    if (!isScan)
      reduced.erase(reduced.begin() + dim);
    results.push_back(body.tile(reduced, fold.elements[i]));
    scalars.append(2, body.tile({}, fold.elements[i]));
    identities.push_back(makeAttribute(body.type(fold.elements[i]), fold.identities[i]));
  }
  SmallVector<NamedAttribute> attributes = {body.attribute("dim", body.builder.getI32IntegerAttr(dim)),
                                            body.attribute("identities", body.builder.getArrayAttr(identities))};
  if (isScan)
    attributes.push_back(
        body.attribute("reverse", body.builder.getBoolAttr(!fold.isOrdered && body.random.chance(40))));
  Operation *op = body.op(isScan ? "scan" : "reduce", operands, results, attributes, 1);
  {
    OpBuilder::InsertionGuard guard(body.builder);
    SmallVector<Location> locations(scalars.size(), body.builder.getUnknownLoc());
    Block *block = body.builder.createBlock(&op->getRegion(0), {}, scalars, locations);
    SmallVector<Value> arguments(block->getArguments());
    body.op("yield", fold.combine(body, arguments), {});
  }
  for (Value result : op->getResults())
    body.keep(result);
  return true;
}

} // namespace

void addFolds(Productions &productions) {
  productions.push_back({"reduce", 6, [](Body &body) { return writeFold(body, false); }});
  productions.push_back({"scan", 4, [](Body &body) { return writeFold(body, true); }});
}

} // namespace tilewright::programs
