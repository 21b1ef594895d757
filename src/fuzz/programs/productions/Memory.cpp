// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores through pointers, addresses as values, tokens.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

bool writeLoad(Body &body) {
  Shape shape = body.someShape();
  Area *area = body.findArea(/*forWrite=*/false, body.tile(shape, Element::I8).getNumElements());
  if (!area)
    return false;
  Value pointers = body.addresses(*area, shape, /*isInjective=*/false);
  ct::TileType type = body.tile(shape, area->element);
  Value mask, padding, after;
  if (body.random.chance(50))
    mask = body.pick(body.tile(shape, Element::I1));
  // The value of a masked element without padding is undefined, so no operation may use it.
  // (Padding without a mask has the text of a mask where elements are i1.)
  bool isPadded = (mask || area->element != Element::I1) && body.random.chance(60);
  if (isPadded)
    padding = body.pick(type);
  Value result =
      body.loadPointers(pointers, body.tokenFor(*area, false), body.someOrdering(false), &after, mask, padding);
  body.accessed(*area, after, false);
  if (mask && !padding)
    result = body.select(mask, result, body.pick(type));
  body.keep(result);
  return true;
}

bool writeStore(Body &body) {
  Shape shape = body.someShape();
  Area *area = body.findArea(/*forWrite=*/true, body.tile(shape, Element::I8).getNumElements());
  if (!area)
    return false;
  Value pointers = body.addresses(*area, shape, /*isInjective=*/true);
  Value value = body.pick(body.tile(shape, area->element)), mask;
  if (body.random.chance(50))
    mask = body.pick(body.tile(shape, Element::I1));
  Value after = body.storePointers(pointers, value, body.tokenFor(*area, true), body.someOrdering(true), mask);
  body.accessed(*area, after, true);
  return true;
}

// Two stores that nothing orders, side by side.
bool writeDisjointStores(Body &body) {
  Shape shape = body.someShape();
  int64_t count = body.tile(shape, Element::I8).getNumElements();
  Area *area = body.findArea(/*forWrite=*/true, 2 * count);
  if (!area)
    return false;
  ct::TileType scalar = body.tile({}, Element::I32), type = body.tile(shape, area->element);
  int64_t start = body.random.between(0, area->count - 2 * count);
  Value values[] = {body.pick(type), body.pick(type)}; // which may read the area
  Value before = body.tokenFor(*area, true);
  SmallVector<Value> after;
  for (int64_t half : {0, 1}) {
    Value row = body.rowOfPointers(area->pointer, shape, body.splat(scalar, start + half * count));
    after.push_back(body.storePointers(row, values[half], before, body.someOrdering(true)));
  }
  body.accessed(*area, body.make("join_tokens", after, body.token()), true);
  return true;
}

// Addresses there and back, as integers and as pointers to another type.
bool writeAddresses(Body &body) {
  Shape shape = body.someShape();
  Area *area = body.findArea(/*forWrite=*/false, body.tile(shape, Element::I8).getNumElements());
  if (!area)
    return false;
  Value pointers = body.addresses(*area, shape, /*isInjective=*/false);
  Type type = pointers.getType();
  if (body.random.chance(60)) {
    Value numbers = body.make("ptr_to_int", pointers, body.tile(shape, Element::I64));
    if (body.random.chance(50)) { // a distance is the same in every run, an address is not
      Value base = area->pointer;
      if (!shape.empty())
        base = body.make("broadcast", body.make("reshape", base, body.pointers(Shape(shape.size(), 1), area->element)),
                         type);
      body.keep(body.binary("subi", numbers, body.make("ptr_to_int", base, body.tile(shape, Element::I64))));
    }
    pointers = body.make("int_to_ptr", numbers, type);
  }
  if (body.random.chance(60)) {
    Element other = body.random.pick<Element>({Element::I8, Element::I16, Element::I32, Element::F32, Element::F64});
    pointers = body.make("ptr_to_ptr", pointers, body.pointers(shape, other));
    // A step in the other type, and back.
    Value step = body.masked(body.tile(shape, Element::I32), 3);
    Value back = body.binary("subi", body.splat(body.tile(shape, Element::I32), 0), step);
    for (Value by : {step, back})
      pointers = body.make("offset", {pointers, by}, pointers.getType());
    pointers = body.make("ptr_to_ptr", pointers, type);
  }
  // Memory that is never written can be read anywhere later, also by pointers that went through loops and branches.
  if (area->isReadOnly && body.random.chance(60))
    body.keep(pointers);
  Value after;
  body.keep(body.loadPointers(pointers, body.tokenFor(*area, false), body.someOrdering(false), &after));
  body.accessed(*area, after, false);
  return true;
}

bool writeLoadThroughKept(Body &body) {
  SmallVector<Value> known;
  for (Value value : body.values)
    if (auto type = dyn_cast<ct::TileType>(value.getType()); type && isa<ct::PtrType>(type.getElementType()))
      known.push_back(value);
  if (known.empty())
    return false;
  Value pointers = body.random.pick(known), other = body.random.pick(known), after;
  if (other.getType() == pointers.getType()) {
    Value condition = body.pick(body.tile(cast<ct::TileType>(pointers.getType()).getShape(), Element::I1));
    pointers = body.keep(body.select(condition, pointers, other));
  }
  body.keep(body.loadPointers(pointers, {}, body.someOrdering(false), &after));
  return true;
}

// Integers of memory read in a smaller width, in which each access is aligned as a GPU wants it.
bool writePunnedLoad(Body &body) {
  Area *area = body.findArea(/*forWrite=*/false, 64);
  if (!area || isFloat(area->element) || area->element == Element::I1)
    return false;
  Element other = body.random.pick<Element>({Element::I8, Element::I16, Element::I32, Element::I64});
  int64_t count = area->count * storageBytes(area->element) / storageBytes(other);
  Shape shape = body.someShape();
  if (body.tile(shape, other).getNumElements() > count || storageBytes(other) > storageBytes(area->element))
    return false;
  Area view{body.make("ptr_to_ptr", area->pointer, body.pointers({}, other)), other, count, area->isReadOnly};
  Value pointers = body.addresses(view, shape, /*isInjective=*/false), after;
  body.keep(body.loadPointers(pointers, body.tokenFor(*area, false), body.someOrdering(false), &after));
  body.accessed(*area, after, false);
  return true;
}

bool writeFence(Body &body) {
  Area *area = body.findArea(/*forWrite=*/true);
  if (!area)
    return false;
  body.accessed(*area, body.make("memory_fence_alias_tko", body.flush(*area), body.token()), true);
  return true;
}

bool writeGridDependency(Body &body, StringRef mnemonic) {
  Area *area = body.findArea(/*forWrite=*/true);
  if (!area || body.random.chance(20)) {
    body.make(mnemonic, {}, body.token());
    return true;
  }
  body.accessed(*area, body.make(mnemonic, body.flush(*area), body.token()), true);
  return true;
}

// Memory of the block, written before it is read.
bool writeAlloca(Body &body) {
  if (body.depth)
    return false;
  Element element = body.someElement(stored & ~setOf(Element::I1));
  int64_t count = int64_t(1) << body.random.between(2, 8);
  SmallVector<NamedAttribute> attributes = {
      body.attribute("num_elem", body.builder.getI64IntegerAttr(count)),
      body.attribute("alignment", body.builder.getI64IntegerAttr(body.random.pick<int64_t>({8, 16, 64})))};
  if (body.random.chance(30))
    attributes.push_back(body.attribute("global", body.builder.getUnitAttr()));
  Value pointer = body.make("alloca", {}, body.pointers({}, element), attributes);
  Area area{pointer, element, count, /*isReadOnly=*/false};
  Value row = body.rowOfPointers(pointer, count, body.splat(body.tile({}, Element::I32), 0));
  Value value = body.pick(body.tile(count, element));
  area.token = body.storePointers(row, value, {}, body.someOrdering(true));
  body.areas.push_back(area);
  return true;
}

bool writeGlobal(Body &body) {
  if (body.depth)
    return false;
  Element element = body.someElement(stored & ~setOf(Element::I1));
  int64_t count = int64_t(1) << body.random.between(2, 7);
  std::string name = "table" + std::to_string(body.areas.size());
  // One block alone may write to memory that all share.
  bool isReadOnly = body.numBlocks > 1 || body.random.chance(50);
  {
    OpBuilder::InsertionGuard guard(body.builder);
    body.builder.setInsertionPoint(body.entry);
    SmallVector<Attribute> numbers;
    uint64_t seed = body.random.next();
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(makeAttribute(body.type(element), makeBits(element, Contents::Any, seed + i)));
    SmallVector<NamedAttribute> attributes = {
        body.attribute("sym_name", body.builder.getStringAttr(name)),
        body.attribute("value", DenseElementsAttr::get(body.tile(count, element), numbers))};
    if (body.random.chance(50))
      attributes.push_back(body.attribute("alignment", body.builder.getI64IntegerAttr(64)));
    if (isReadOnly && body.random.chance(50))
      attributes.push_back(body.attribute("constant", body.builder.getUnitAttr()));
    if (body.random.chance(30))
      attributes.push_back(
          body.enumAttribute<ct::SymbolVisibilityAttr>("symbol_visibility", ct::SymbolVisibility::Private));
    body.op("global", {}, {}, attributes);
  }
  Value pointer = body.make("get_global", {}, body.pointers({}, element),
                            body.attribute("name", FlatSymbolRefAttr::get(body.context, name)));
  body.areas.push_back({pointer, element, count, isReadOnly});
  return true;
}

} // namespace

void addMemory(Productions &productions) {
  productions.push_back({"load_ptr_tko", 6, writeLoad});
  productions.push_back({"load_ptr_tko", 1, writePunnedLoad});
  productions.push_back({"load_ptr_tko", 4, writeLoadThroughKept});
  productions.push_back({"store_ptr_tko", 6, writeStore});
  productions.push_back({"join_tokens", 2, writeDisjointStores});
  productions.push_back({"ptr_to_int", 2, writeAddresses});
  productions.push_back({"memory_fence_alias_tko", 1, writeFence});
  productions.push_back({"gdc_wait_tko", 1, [](Body &body) { return writeGridDependency(body, "gdc_wait_tko"); }});
  productions.push_back({"gdc_launch_dependents_tko", 1,
                         [](Body &body) { return writeGridDependency(body, "gdc_launch_dependents_tko"); }});
  productions.push_back({"alloca", 2, writeAlloca});
  productions.push_back({"global", 2, writeGlobal});
}

} // namespace tilewright::programs
