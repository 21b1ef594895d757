// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a body touches memory: its buffers and areas, the tokens that order accesses to them, and the buffers that its
// results go to.
#include "fuzz/programs/Body.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tilewright::programs {

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
  int64_t count = ShapedType::getNumElements(shape);
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
  int64_t count = ShapedType::getNumElements(shape);
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
  if (body.random.chance(10)) {
    NamedAttribute latency = body.attribute("latency", body.builder.getI32IntegerAttr(body.random.between(1, 10)));
    NamedAttribute target = body.attribute("default", body.builder.getDictionaryAttr(latency));
    attributes.push_back(body.attribute(
        "optimization_hints", ct::OptimizationHintsAttr::get(body.context, body.builder.getDictionaryAttr(target))));
  }
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
