// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Body.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::programs {

Body::Body(Program &program, Random &random)
    : program(program), random(random), context(program.module->getContext()), builder(context) {}

//===-- types -------------------------------------------------------------===//

static SmallVector<Element> membersOf(ElementSet set) {
  SmallVector<Element> members;
  for (unsigned i = 0; i < numElements; ++i)
    if (set & 1u << i)
      members.push_back(static_cast<Element>(i));
  return members;
}

Element Body::someElement(ElementSet set) {
  SmallVector<Element> preferred;
  for (Element element : elements)
    if (set & setOf(element))
      preferred.push_back(element);
  return preferred.empty() ? random.pick(membersOf(set)) : random.pick(preferred);
}

Shape Body::someShape() {
  return random.pick(shapes);
}

ct::TileType Body::someTile(ElementSet set) {
  SmallVector<ct::TileType> known;
  for (Value value : values) {
    auto type = dyn_cast<ct::TileType>(value.getType());
    if (type && !isa<ct::PtrType>(type.getElementType()) && set & setOf(getElement(type.getElementType())))
      known.push_back(type);
  }
  if (!known.empty() && random.chance(70))
    return random.pick(known);
  Element element = someElement(set);
  Shape shape = someShape();
  if (element == Element::F4E2M1FN && ShapedType::getNumElements(shape) == 1)
    shape = {2};
  return tile(shape, element);
}

//===-- operations --------------------------------------------------------===//

Operation *Body::op(StringRef mnemonic, ValueRange operands, TypeRange results, Attributes attributes,
                    unsigned numRegions) {
  OperationState state(builder.getUnknownLoc(), ("cuda_tile." + mnemonic).str());
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  for (unsigned i = 0; i < numRegions; ++i)
    state.addRegion();
  --budget;
  return builder.create(state);
}

Operation *Body::draw(StringRef mnemonic, ValueRange operands, TypeRange results,
                      function_ref<SmallVector<NamedAttribute>()> attributes) {
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) {});
  for (unsigned attempt = 0; attempt < 16; ++attempt) {
    Operation *created = op(mnemonic, operands, results, attributes());
    if (succeeded(verify(created)))
      return created;
    created->erase();
  }
  return nullptr;
}

//===-- values ------------------------------------------------------------===//

Value Body::pick(ct::TileType type) {
  if (random.chance(88)) {
    // Late values more often than early ones, so that programs have depth.
    SmallVector<Value> known;
    for (Value value : values)
      if (value.getType() == type)
        known.push_back(value);
    if (!known.empty()) {
      size_t at = std::max(random.below(known.size()), random.below(known.size()));
      return known[at];
    }
  }
  return keep(fresh(type));
}

Value Body::constant(ct::TileType type, Contents contents) {
  Element element = getElement(type.getElementType());
  uint64_t seed = random.next();
  SmallVector<Attribute> numbers;
  int64_t count = random.chance(40) || type.getNumElements() > 256 ? 1 : type.getNumElements();
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(makeAttribute(type.getElementType(), makeBits(element, contents, seed + i)));
  return make("constant", {}, type, attribute("value", DenseElementsAttr::get(type, numbers)));
}

Value Body::splat(ct::TileType type, int64_t value) {
  auto integer = cast<IntegerType>(type.getElementType());
  Attribute number = IntegerAttr::get(integer, APInt(64, value).trunc(integer.getWidth()));
  return make("constant", {}, type, attribute("value", DenseElementsAttr::get(type, number)));
}

Value Body::splatFloat(ct::TileType type, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type.getElementType()).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  Attribute attr = FloatAttr::get(type.getElementType(), number);
  return make("constant", {}, type, attribute("value", DenseElementsAttr::get(type, attr)));
}

Value Body::fresh(ct::TileType type) {
  if (auto pointer = dyn_cast<ct::PtrType>(type.getElementType())) {
    // Only tiles that some address was computed for are asked for.
    for (Value value : values)
      if (value.getType() == type)
        return value;
    llvm_unreachable("no such pointers in scope");
  }
  Element element = getElement(type.getElementType());
  // i4 has no constants in bytecode, and none of these types can be loaded by pointers.
  if (element == Element::I4)
    return make("trunci", pick(tile(type.getShape(), Element::I8)), type);
  unsigned choice = random.below(10);
  if (choice < 4)
    if (Area *area = findArea(/*forWrite=*/false, type.getNumElements(), element)) {
      Value after;
      Value token = tokenFor(*area, false);
      Value loaded = loadPointers(addresses(*area, type.getShape(), false), token, someOrdering(false), &after);
      accessed(*area, after, false);
      return loaded;
    }
  if (choice < 7) {
    // Another value of the shape converted to this type, or a value of this element type in another shape.
    SmallVector<Value> sameShape, sameElement;
    for (Value value : values) {
      auto other = dyn_cast<ct::TileType>(value.getType());
      if (!other || isa<ct::PtrType>(other.getElementType()) || other == type)
        continue;
      if (other.getShape() == type.getShape())
        sameShape.push_back(value);
      else if (other.getElementType() == type.getElementType())
        sameElement.push_back(value);
    }
    if (!sameShape.empty() && (sameElement.empty() || random.chance(50)))
      return convert(random.pick(sameShape), element);
    if (!sameElement.empty())
      return reshape(random.pick(sameElement), type.getShape());
  }
  if (choice == 7 && words & setOf(element) && type.getRank() && type.getNumElements() <= 128) {
    Value iota = make("iota", {}, tile(type.getNumElements(), element));
    return reshape(iota, type.getShape());
  }
  if (type.getRank() == 0 && choice >= 8 && setOf(element) & (integers | floats))
    return argument(element, makeBits(element, Contents::Any, random.next()));
  return constant(type, random.chance(30) ? Contents::Small : Contents::Any);
}

Value Body::masked(ct::TileType type, int64_t mask) {
  return binary("andi", pick(type), splat(type, mask));
}

Value Body::small(ct::TileType type, int64_t most) {
  ct::TileType integer = tile(type.getShape(), random.pick<Element>({Element::I8, Element::I16, Element::I32}));
  Value number = binary("subi", masked(integer, 2 * most - 1), splat(integer, most - 1));
  return make("itof", number, type, enumAttribute<ct::SignednessAttr>("signedness", ct::Signedness::Signed));
}

Value Body::binary(StringRef mnemonic, Value lhs, Value rhs) {
  return make(mnemonic, {lhs, rhs}, lhs.getType());
}

Value Body::compare(ct::ComparisonPredicate predicate, ct::Signedness signedness, Value lhs, Value rhs) {
  return make("cmpi", {lhs, rhs}, tile(cast<ct::TileType>(lhs.getType()).getShape(), Element::I1),
              {enumAttribute<ct::ComparisonPredicateAttr>("comparison_predicate", predicate),
               enumAttribute<ct::SignednessAttr>("signedness", signedness)});
}

static NamedAttribute someSignedness(Body &body) {
  return body.enumAttribute<ct::SignednessAttr>("signedness",
                                                body.random.pick({ct::Signedness::Signed, ct::Signedness::Unsigned}));
}

Value Body::convert(Value value, Element to) {
  auto from = cast<ct::TileType>(value.getType());
  Element source = getElement(from.getElementType());
  if (source == to)
    return value;
  ct::TileType target = tile(from.getShape(), to);
  if (!isFloat(source) && !isFloat(to)) {
    auto width = [](Type type) { return type.getIntOrFloatBitWidth(); };
    if (width(from.getElementType()) < width(target.getElementType()))
      return make("exti", value, target, someSignedness(*this));
    return make("trunci", value, target);
  }
  // i4 meets other integers only, a scale of powers of two other floats only.
  if (source == Element::I4)
    return convert(convert(value, Element::I8), to);
  if (!isFloat(source))
    return to == Element::F8E8M0FNU ? convert(convert(value, Element::F32), to)
                                    : make("itof", value, target, someSignedness(*this));
  if (!isFloat(to)) {
    if (to == Element::I4)
      return convert(convert(value, Element::I8), to);
    return make("ftoi", value, target, {someSignedness(*this), attribute("saturating", builder.getUnitAttr())});
  }
  // Every pair of types has one of the last two.
  using Mode = ct::RoundingMode;
  Mode modes[] = {random.pick({Mode::NearestEven, Mode::Zero, Mode::NegativeInf, Mode::PositiveInf, Mode::NearestAway}),
                  Mode::NearestEven, Mode::Zero};
  unsigned next = 0;
  Operation *converted = draw("ftof", value, target, [&]() -> SmallVector<NamedAttribute> {
    return {enumAttribute<ct::RoundingModeAttr>("rounding_mode", modes[std::min(next++, 2u)])};
  });
  assert(converted && "floats without a conversion");
  return converted->getResult(0);
}

Value Body::reshape(Value value, ArrayRef<int64_t> shape) {
  auto from = cast<ct::TileType>(value.getType());
  Type element = from.getElementType();
  if (from.getShape() == shape)
    return value;
  int64_t have = from.getNumElements(), want = ShapedType::getNumElements(shape);
  if (have > want) {
    // The first `want` elements, or another part as long.
    if (from.getRank() != 1)
      value = make("reshape", value, tile(have, element));
    Value part = index(Element::I32, have / want);
    value = make("extract", {value, part}, tile(want, element));
  } else if (have < want) {
    Shape repeated = {want / have, have}, once = {1, have};
    value = make("reshape", value, tile(once, element));
    value = make("broadcast", value, tile(repeated, element));
  }
  if (cast<ct::TileType>(value.getType()).getShape() == shape)
    return value;
  return make("reshape", value, tile(shape, element));
}

Value Body::withoutNan(Value value) {
  auto type = cast<ct::TileType>(value.getType());
  Value isNumber =
      make("cmpf", {value, value}, tile(type.getShape(), Element::I1),
           {enumAttribute<ct::ComparisonPredicateAttr>("comparison_predicate", ct::ComparisonPredicate::Equal),
            enumAttribute<ct::ComparisonOrderingAttr>("comparison_ordering", ct::ComparisonOrdering::Ordered)});
  return select(isNumber, value, splatFloat(type, random.pick({0.0, 1.0, -2.0})));
}

Value Body::index(Element element, int64_t count) {
  ct::TileType scalar = tile({}, element);
  if (count == 1 || random.chance(40))
    return splat(scalar, random.between(0, count - 1));
  Value any = random.chance(40) ? convert(block, element) : pick(scalar);
  if (llvm::isPowerOf2_64(count))
    return binary("andi", any, splat(scalar, count - 1));
  return make("remi", {any, splat(scalar, count)}, scalar,
              enumAttribute<ct::SignednessAttr>("signedness", ct::Signedness::Unsigned));
}

} // namespace tilewright::programs
