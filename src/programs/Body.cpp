// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "programs/Body.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::programs {

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

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
  if (element == Element::F4E2M1FN && product(shape) == 1)
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
    // What another value of the shape is in this type, or another shape of a value of this element type.
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
  int64_t have = from.getNumElements(), want = product(shape);
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

//===-- memory ------------------------------------------------------------===//

Value Body::addBuffer(Element element, int64_t count, Contents contents) {
  Parameter parameter;
  parameter.element = element;
  parameter.count = count;
  parameter.contents = contents;
  parameter.seed = random.below(1000000);
  program.launch.parameters.push_back(parameter);
  return entry.getBody().front().addArgument(pointers({}, element), builder.getUnknownLoc());
}

Value Body::argument(Element element, uint64_t bits) {
  Parameter parameter;
  parameter.isBuffer = false;
  parameter.element = element;
  parameter.seed = bits;
  program.launch.parameters.push_back(parameter);
  return entry.getBody().front().addArgument(tile({}, element), builder.getUnknownLoc());
}

Area *Body::findArea(bool forWrite, int64_t count, std::optional<Element> element) {
  SmallVector<Area *> found;
  for (Area &area : areas)
    if (area.isOpen && area.count >= count && (!forWrite || !area.isReadOnly) && (!element || area.element == *element))
      found.push_back(&area);
  return found.empty() ? nullptr : random.pick(found);
}

Value Body::flush(Area &area) {
  SmallVector<Value> all(area.reads);
  if (area.token)
    all.push_back(area.token);
  area.reads.clear();
  if (all.empty())
    area.token = make("make_token", {}, token());
  else
    area.token = all.size() == 1 ? all.front() : make("join_tokens", all, token());
  return area.token;
}

Value Body::tokenFor(Area &area, bool isWrite) {
  if (area.isReadOnly)
    return random.chance(80) ? Value() : make("make_token", {}, token());
  if (isWrite && (area.token || !area.reads.empty()))
    return flush(area);
  return area.token;
}

void Body::accessed(Area &area, Value token, bool isWrite) {
  if (area.isReadOnly)
    return;
  if (!isWrite) {
    area.reads.push_back(token);
    return;
  }
  area.token = token;
  area.reads.clear();
}

Value Body::rowOfPointers(Value base, ArrayRef<int64_t> shape, Value start, int64_t stride) {
  int64_t count = product(shape);
  auto pointer = cast<ct::TileType>(base.getType()).getElementType();
  if (shape.empty())
    return make("offset", {base, start}, base.getType());
  Value first = make("offset", {base, start}, base.getType());
  Shape ones(shape.size(), 1);
  first = make("broadcast", make("reshape", first, tile(ones, pointer)), tile(shape, pointer));
  Value steps = make("iota", {}, tile(count, Element::I32));
  if (stride != 1)
    steps = binary("muli", steps, splat(tile(count, Element::I32), stride));
  return make("offset", {first, reshape(steps, shape)}, tile(shape, pointer));
}

Value Body::addresses(Area &area, ArrayRef<int64_t> shape, bool isInjective) {
  int64_t count = product(shape);
  Type pointer = ct::PtrType::get(type(area.element));
  if (random.chance(60)) {
    int64_t stride = random.pick<int64_t>({1, 1, 1, 2, 3});
    if ((count - 1) * stride >= area.count)
      stride = 1;
    return rowOfPointers(area.pointer, shape, index(Element::I32, area.count - (count - 1) * stride), stride);
  }
  // Indices without order: from a value, or a permutation of so many as there are.
  int64_t mask = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(area.count))) - 1;
  Element wide = random.pick<Element>({Element::I32, Element::I32, Element::I64, Element::I16});
  if (wide == Element::I16 && mask > 32767)
    wide = Element::I32;
  Value offsets;
  if (isInjective) {
    ct::TileType row = tile(count, wide);
    Value iota = make("iota", {}, row);
    offsets = binary("muli", iota, splat(row, 2 * random.between(0, 7) + 1));
    offsets = binary("addi", offsets, splat(row, random.between(0, 100)));
    offsets = reshape(binary("andi", offsets, splat(row, mask)), shape);
  } else {
    offsets = masked(tile(shape, wide), mask);
  }
  Value base = area.pointer;
  if (!shape.empty())
    base = make("broadcast", make("reshape", base, tile(Shape(shape.size(), 1), pointer)), tile(shape, pointer));
  return make("offset", {base, offsets}, base.getType());
}

Body::Ordering Body::someOrdering(bool isWrite) {
  using Semantics = ct::MemoryOrderingSemantics;
  Semantics semantics = random.chance(80)
                            ? Semantics::WEAK
                            : random.pick({Semantics::RELAXED, isWrite ? Semantics::RELEASE : Semantics::ACQUIRE});
  if (semantics == Semantics::WEAK)
    return {semantics, std::nullopt};
  return {semantics, random.pick({ct::MemoryScope::TL_BLK, ct::MemoryScope::DEVICE, ct::MemoryScope::SYS})};
}

static SmallVector<NamedAttribute> orderingAttributes(Body &body, Body::Ordering ordering, ArrayRef<int32_t> segments) {
  SmallVector<NamedAttribute> attributes = {
      body.enumAttribute<ct::MemoryOrderingSemanticsAttr>("memory_ordering_semantics", ordering.semantics),
      body.attribute("operandSegmentSizes", body.builder.getDenseI32ArrayAttr(segments))};
  if (ordering.scope)
    attributes.push_back(body.enumAttribute<ct::MemoryScopeAttr>("memory_scope", *ordering.scope));
  return attributes;
}

Value Body::loadPointers(Value pointers, Value token, Ordering ordering, Value *tokenAfter, Value mask, Value padding) {
  SmallVector<Value> operands = {pointers};
  for (Value optional : {mask, padding, token})
    if (optional)
      operands.push_back(optional);
  auto type = cast<ct::TileType>(pointers.getType());
  Type element = cast<ct::PtrType>(type.getElementType()).getPointee();
  Operation *load = op("load_ptr_tko", operands, {tile(type.getShape(), element), this->token()},
                       orderingAttributes(*this, ordering, {1, mask ? 1 : 0, padding ? 1 : 0, token ? 1 : 0}));
  *tokenAfter = load->getResult(1);
  return load->getResult(0);
}

Value Body::storePointers(Value pointers, Value value, Value token, Ordering ordering, Value mask) {
  SmallVector<Value> operands = {pointers, value};
  for (Value optional : {mask, token})
    if (optional)
      operands.push_back(optional);
  return make("store_ptr_tko", operands, this->token(),
              orderingAttributes(*this, ordering, {1, 1, mask ? 1 : 0, token ? 1 : 0}));
}

//===-- results -----------------------------------------------------------===//

void Body::storeTile(Value base, Value value) {
  auto type = cast<ct::TileType>(value.getType());
  SmallVector<int32_t> tile(type.getShape().begin(), type.getShape().end());
  SmallVector<int64_t> shape(type.getShape()), strides(shape.size(), 1);
  for (size_t dim = shape.size() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  shape.front() *= numBlocks;
  auto tensor = ct::TensorViewType::get(type.getElementType(), shape, strides);
  Value view =
      make("make_tensor_view", base, tensor, attribute("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 0, 0})));
  auto dims = llvm::to_vector(llvm::seq<int32_t>(0, shape.size()));
  view = make("make_partition_view", view,
              ct::PartitionViewType::get(context, tile, tensor, dims, ct::PaddingValueAttr()));
  SmallVector<Value> operands = {value, view, block};
  for (size_t i = 1; i < shape.size(); ++i)
    operands.push_back(splat(this->tile({}, Element::I32), 0));
  make("store_view_tko", operands, token(),
       {enumAttribute<ct::MemoryOrderingSemanticsAttr>("memory_ordering_semantics", ct::MemoryOrderingSemantics::WEAK),
        attribute("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, static_cast<int32_t>(shape.size()), 0}))});
}

void Body::sink(Value value, uint64_t tolerance) {
  auto type = cast<ct::TileType>(value.getType());
  Element element = getElement(type.getElementType());
  if (!(stored & setOf(element))) {
    element = element == Element::I4 ? Element::I8 : Element::F32;
    value = convert(value, element);
  }
  auto [at, isNew] = results.try_emplace({element, tolerance});
  Results &slot = at->second;
  if (isNew) {
    slot.parameter = program.launch.parameters.size();
    addBuffer(element, 1, Contents::Zero);
    program.launch.parameters[slot.parameter].tolerance = tolerance;
  }
  // One after the other, each with a part per block.
  bool isRow = !type.getShape().empty() && random.chance(40);
  int64_t count = type.getNumElements(), start = slot.used * numBlocks;
  slot.used += count;
  program.launch.parameters[slot.parameter].count = slot.used * numBlocks;
  Value base = entry.getBody().front().getArgument(slot.parameter);
  ct::TileType scalar = tile({}, Element::I32);
  if (isRow) {
    // As kernels do it: a tensor of the parts of all blocks, of which each stores its tile.
    storeTile(make("offset", {base, splat(scalar, start)}, base.getType()), value);
    return;
  }
  Value offset = binary("addi", binary("muli", block, splat(scalar, count)), splat(scalar, start));
  storePointers(rowOfPointers(base, type.getShape(), offset), value, {},
                {ct::MemoryOrderingSemantics::WEAK, std::nullopt});
}

} // namespace tilewright::programs
