// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products, whose sums are exact in any order: of integers, or of floats that are small integers.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

struct Sizes {
  Shape lhs, rhs, acc;
};

Sizes someSizes(Body &body, int64_t leastDepth = 1) {
  Random &random = body.random;
  auto size = [&] { return int64_t(1) << random.below(6); };
  int64_t m = size(), n = size(), k = std::max(leastDepth, size());
  Sizes sizes{{m, k}, {k, n}, {m, n}};
  if (random.chance(25)) {
    int64_t batch = random.pick<int64_t>({1, 2, 4});
    for (Shape *shape : {&sizes.lhs, &sizes.rhs, &sizes.acc})
      shape->insert(shape->begin(), batch);
  }
  return sizes;
}

bool writeIntegers(Body &body) {
  Sizes sizes = someSizes(body);
  auto sign = [&](StringRef name) {
    return body.enumAttribute<ct::SignednessAttr>(name,
                                                  body.random.pick({ct::Signedness::Signed, ct::Signedness::Unsigned}));
  };
  ct::TileType type = body.tile(sizes.acc, Element::I32);
  Value lhs = body.pick(body.tile(sizes.lhs, Element::I8)), rhs = body.pick(body.tile(sizes.rhs, Element::I8)),
        acc = body.pick(type);
  body.keep(body.make("mmai", {lhs, rhs, acc}, type, {sign("signedness_lhs"), sign("signedness_rhs")}));
  return true;
}

bool writeFloats(Body &body) {
  struct Types {
    Element operand, acc;
  };
  static constexpr Types all[] = {{Element::F16, Element::F16},      {Element::F16, Element::F32},
                                  {Element::BF16, Element::F32},     {Element::F32, Element::F32},
                                  {Element::F64, Element::F64},      {Element::TF32, Element::F32},
                                  {Element::F8E4M3FN, Element::F16}, {Element::F8E4M3FN, Element::F32},
                                  {Element::F8E5M2, Element::F16},   {Element::F8E5M2, Element::F32}};
  SmallVector<Types> known;
  for (Types types : all)
    if (!(setOf(types.operand) & ~floats) || llvm::is_contained(body.elements, types.operand))
      known.push_back(types);
  Types types = body.random.pick(known);
  Sizes sizes = someSizes(body);
  ct::TileType type = body.tile(sizes.acc, types.acc);
  Value lhs = body.small(body.tile(sizes.lhs, types.operand), 4),
        rhs = body.small(body.tile(sizes.rhs, types.operand), 4);
  Value acc = body.small(type, 4);
  SmallVector<NamedAttribute> attributes;
  if (body.random.chance(10))
    attributes.push_back(body.attribute("fast_acc", body.builder.getUnitAttr()));
  body.keep(body.make("mmaf", {lhs, rhs, acc}, type, attributes));
  return true;
}

// 1 to 4, which every scale type holds (a power of two rounds down to one).
Value someScale(Body &body, ArrayRef<int64_t> shape, Element element) {
  ct::TileType integer = body.tile(shape, Element::I16);
  Value number = body.binary("addi", body.masked(integer, 3), body.splat(integer, 1));
  return body.convert(body.convert(number, Element::F32), element);
}

bool writeScaled(Body &body) {
  struct Types {
    Element operand, scale;
    int64_t group;
  };
  static constexpr Types all[] = {
      {Element::F8E4M3FN, Element::F8E8M0FNU, 32}, {Element::F8E5M2, Element::F8E8M0FNU, 32},
      {Element::F4E2M1FN, Element::F8E8M0FNU, 32}, {Element::F4E2M1FN, Element::F8E8M0FNU, 16},
      {Element::F4E2M1FN, Element::F8E4M3FN, 16},  {Element::F4E2M1FN, Element::F8E5M3FNU, 16},
      {Element::F4E2M1FN, Element::F8E5M3FNU, 32}};
  SmallVector<Types> known;
  for (Types types : all)
    if (llvm::is_contained(body.elements, types.operand))
      known.push_back(types);
  if (known.empty())
    return false;
  Types types = body.random.pick(known);
  Sizes sizes = someSizes(body, types.group);
  int64_t rank = sizes.lhs.size();
  Shape lhsScale(sizes.lhs), rhsScale(sizes.rhs);
  lhsScale[rank - 1] /= types.group;
  rhsScale[rank - 2] /= types.group;
  ct::TileType type = body.tile(sizes.acc, Element::F32);
  Value lhs = body.small(body.tile(sizes.lhs, types.operand), 4),
        rhs = body.small(body.tile(sizes.rhs, types.operand), 4);
  body.keep(body.make(
      "mmaf_scaled",
      {lhs, rhs, body.small(type, 4), someScale(body, lhsScale, types.scale), someScale(body, rhsScale, types.scale)},
      type));
  return true;
}

} // namespace

void addProducts(Productions &productions) {
  productions.push_back({"mmai", 2, writeIntegers});
  productions.push_back({"mmaf", 3, writeFloats});
  productions.push_back({"mmaf_scaled", 6, writeScaled});
  productions.push_back({"mmaf", 2, writeProductLoops});
}

} // namespace tilewright::programs
