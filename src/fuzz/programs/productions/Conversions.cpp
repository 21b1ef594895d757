// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From one element type to another.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

Element elementOf(Value value) {
  return getElement(cast<ct::TileType>(value.getType()).getElementType());
}

// Wherever `from` can become `to` by one operation of that name.
bool writeConversion(Body &body, ElementSet from, ElementSet to) {
  Value source = body.pick(body.someTile(from));
  Element target = body.someElement(to);
  if (target == Element::F4E2M1FN && cast<ct::TileType>(source.getType()).getNumElements() == 1)
    return false;
  if (target == elementOf(source))
    return false;
  body.keep(body.convert(source, target));
  return true;
}

// Floats within the range of the integers, truncated without saturation.
bool writeUnsaturated(Body &body) {
  ct::TileType type = body.someTile(floats);
  Element to = body.someElement(integers);
  auto sign = body.random.pick({ct::Signedness::Signed, ct::Signedness::Unsigned});
  double low = sign == ct::Signedness::Unsigned ? 0 : to == Element::I1 ? -1 : -100;
  double high = to != Element::I1 ? 100 : sign == ct::Signedness::Unsigned ? 1 : 0;
  // These ignore NaN, so none is left.
  Value source = body.binary("maxf", body.pick(type), body.splatFloat(type, low));
  source = body.binary("minf", source, body.splatFloat(type, high));
  body.keep(body.make("ftoi", source, body.tile(type.getShape(), to),
                      body.enumAttribute<ct::SignednessAttr>("signedness", sign)));
  return true;
}

bool writeTruncation(Body &body) {
  ct::TileType type = body.someTile(words & ~setOf(Element::I8));
  Element to =
      type.getElementType().isInteger(16) ? Element::I8 : body.random.pick<Element>({Element::I8, Element::I16});
  auto overflow = body.random.pick({ct::IntegerOverflow::NSW, ct::IntegerOverflow::NUW, ct::IntegerOverflow::NW});
  body.keep(body.make("trunci", body.masked(type, 127), body.tile(type.getShape(), to),
                      body.enumAttribute<ct::IntegerOverflowAttr>("overflow", overflow)));
  return true;
}

bool writeBitcast(Body &body) {
  Value source = body.pick(body.someTile(words | floats));
  Element from = elementOf(source);
  SmallVector<Element> targets;
  for (Element to : {Element::I8, Element::I16, Element::I32, Element::I64, Element::F16, Element::BF16, Element::F32,
                     Element::F64, Element::F8E4M3FN, Element::F8E5M2, Element::F8E8M0FNU, Element::F8E5M3FNU})
    if (to != from && storageBytes(to) == storageBytes(from) &&
        (!(setOf(to) & smallFloats) || llvm::is_contained(body.elements, to)))
      targets.push_back(to);
  if (targets.empty())
    return false;
  if (isFloat(from))
    source = body.withoutNan(source);
  Element to = body.random.pick(targets);
  body.keep(body.make("bitcast", source, body.tile(cast<ct::TileType>(source.getType()).getShape(), to)));
  return true;
}

// A tile of rank 1, its bytes, and back as perhaps another type.
bool writeBytes(Body &body) {
  ElementSet packed = (integers | floats | setOf(Element::I4) | setOf(Element::F4E2M1FN)) & ~setOf(Element::I8);
  ct::TileType type = body.someTile(packed);
  int64_t count = std::max<int64_t>(type.getNumElements(), 8);
  Element from = getElement(type.getElementType());
  if (from == Element::I4 && !llvm::is_contained(body.elements, Element::I4))
    return false;
  Value source = body.pick(body.tile(count, from));
  if (isFloat(from) && from != Element::F4E2M1FN)
    source = body.withoutNan(source);
  unsigned bits = ct::getElementBitWidth(body.type(from));
  Value bytes = body.keep(body.make("pack", source, body.tile(count * bits / 8, Element::I8)));
  if (body.random.chance(50))
    bytes = body.pick(cast<ct::TileType>(bytes.getType()));
  Element to = body.someElement(packed);
  unsigned targetBits = ct::getElementBitWidth(body.type(to));
  if (count * bits % targetBits == 0)
    body.keep(body.make("unpack", bytes, body.tile(count * bits / targetBits, to)));
  return true;
}

} // namespace

void addConversions(Productions &productions) {
  productions.push_back(
      {"exti", 3, [](Body &body) { return writeConversion(body, integers | setOf(Element::I4), words); }});
  productions.push_back({"trunci", 3, [](Body &body) {
                           return writeConversion(body, words, setOf(Element::I1) | setOf(Element::I4) | words);
                         }});
  productions.push_back({"trunci", 1, writeTruncation});
  productions.push_back({"itof", 4, [](Body &body) { return writeConversion(body, integers, allFloats); }});
  productions.push_back({"ftoi", 3, [](Body &body) { return writeConversion(body, allFloats, integers); }});
  productions.push_back({"ftoi", 2, writeUnsaturated});
  productions.push_back({"ftof", 6, [](Body &body) { return writeConversion(body, allFloats, allFloats); }});
  productions.push_back({"bitcast", 3, writeBitcast});
  productions.push_back({"pack", 2, writeBytes});
}

} // namespace tilewright::programs
