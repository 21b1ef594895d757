// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics: on the block's own memory with every mode and old values, on memory of all blocks with one mode that
// commutes and without old values.
#include "fuzz/programs/productions/Productions.h"
#include "fuzz/programs/productions/Views.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

using Mode = ct::AtomicRMWMode;

NamedAttribute segments(Body &body, ArrayRef<int32_t> sizes) {
  return body.attribute("operandSegmentSizes", body.builder.getDenseI32ArrayAttr(sizes));
}

SmallVector<NamedAttribute> atomicAttributes(Body &body, ArrayRef<int32_t> sizes) {
  using Semantics = ct::MemoryOrderingSemantics;
  return {
      body.enumAttribute<ct::MemoryOrderingSemanticsAttr>(
          "memory_ordering_semantics",
          body.random.pick({Semantics::RELAXED, Semantics::ACQUIRE, Semantics::RELEASE, Semantics::ACQ_REL})),
      body.enumAttribute<ct::MemoryScopeAttr>(
          "memory_scope", body.random.pick({ct::MemoryScope::TL_BLK, ct::MemoryScope::DEVICE, ct::MemoryScope::SYS})),
      segments(body, sizes)};
}

Mode someMode(Body &body, Element element, bool commutes) {
  if (isFloat(element))
    return !commutes && setOf(element) & (setOf(Element::F32) | setOf(Element::F64)) && body.random.chance(30)
               ? Mode::XCHG
               : Mode::ADDF;
  Mode mode = body.random.pick(
      {Mode::AND, Mode::OR, Mode::XOR, Mode::ADD, Mode::MAX, Mode::MIN, Mode::UMAX, Mode::UMIN, Mode::XCHG});
  return commutes && mode == Mode::XCHG ? Mode::ADD : mode;
}

constexpr ElementSet atomicElements = setOf(Element::I32) | setOf(Element::I64) | floats;

Area *findOwn(Body &body, ElementSet elements, int64_t count) {
  SmallVector<Area *> found;
  for (Area &area : body.areas)
    if (area.pointer && area.isOpen && !area.isReadOnly && area.count >= count && elements & setOf(area.element))
      found.push_back(&area);
  return found.empty() ? nullptr : body.random.pick(found);
}

// Reads, changes, writes; the old values of elements that took part are a result.
bool writeOwn(Body &body, bool compares) {
  Shape shape = body.someShape();
  ElementSet elements =
      compares ? setOf(Element::I32) | setOf(Element::I64) | setOf(Element::F32) | setOf(Element::F64) : atomicElements;
  Area *area = findOwn(body, elements, body.tile(shape, Element::I8).getNumElements());
  if (!area)
    return false;
  ct::TileType type = body.tile(shape, area->element);
  SmallVector<Value> operands = {body.addresses(*area, shape, /*isInjective=*/true)};
  if (compares) {
    // Floats compare by their bits, and those of a NaN are not determined.
    Value wanted = body.pick(type);
    if (isFloat(area->element))
      wanted = body.withoutNan(wanted);
    operands.push_back(wanted);
  }
  operands.push_back(body.pick(type));
  SmallVector<int32_t> sizes(operands.size(), 1);
  Value mask;
  if (body.random.chance(50)) {
    mask = body.pick(body.tile(shape, Element::I1));
    operands.push_back(mask);
  }
  Value token = body.tokenFor(*area, true);
  if (token)
    operands.push_back(token);
  sizes.append({mask ? 1 : 0, token ? 1 : 0});
  SmallVector<NamedAttribute> attributes = atomicAttributes(body, sizes);
  if (!compares)
    attributes.push_back(
        body.enumAttribute<ct::AtomicRMWModeAttr>("mode", someMode(body, area->element, /*commutes=*/false)));
  Operation *atomic =
      body.op(compares ? "atomic_cas_tko" : "atomic_rmw_tko", operands, {type, body.token()}, attributes);
  body.accessed(*area, atomic->getResult(1), true);
  Value old = atomic->getResult(0);
  if (mask && !compares)
    old = body.select(mask, old, body.pick(type));
  body.keep(old);
  return true;
}

bool writeOwnThroughView(Body &body) {
  Area *area = findOwn(body, atomicElements, 16);
  ViewPlace place;
  if (!area || !makeView(body, *area, /*isStore=*/true, {ViewKind::Partition, ViewKind::Strided}, place))
    return false;
  SmallVector<Value> operands = {place.view};
  llvm::append_range(operands, place.index);
  operands.push_back(body.pick(body.tile(place.tile, area->element)));
  Value token = body.tokenFor(*area, true);
  if (token)
    operands.push_back(token);
  SmallVector<NamedAttribute> attributes = {
      body.enumAttribute<ct::MemoryOrderingSemanticsAttr>("memory_ordering_semantics",
                                                          ct::MemoryOrderingSemantics::RELAXED),
      body.enumAttribute<ct::MemoryScopeAttr>("memory_scope",
                                              body.random.pick({ct::MemoryScope::TL_BLK, ct::MemoryScope::DEVICE})),
      segments(body, {1, static_cast<int32_t>(place.index.size()), 1, token ? 1 : 0})};
  Mode mode = someMode(body, area->element, /*commutes=*/true);
  attributes.push_back(body.enumAttribute<ct::AtomicRMWModeAttr>("mode", mode));
  if (!place.inbounds.empty())
    attributes.push_back(body.attribute("inbounds", body.builder.getDenseBoolArrayAttr(place.inbounds)));
  body.accessed(*area, body.make("atomic_red_view_tko", operands, body.token(), attributes), true);
  return true;
}

// All blocks on the same memory, with places that meet. Sums of small integers are exact in any order, also as floats.
bool writeShared(Body &body) {
  Counter *counter = nullptr;
  if (!body.counters.empty() && body.random.chance(60)) {
    counter = &body.counters[body.random.below(body.counters.size())];
  } else {
    Element element = body.random.pick<Element>({Element::I32, Element::I32, Element::I64, Element::F32, Element::F64});
    int64_t count = int64_t(1) << body.random.between(0, 7);
    Value pointer = body.addBuffer(element, count, Contents::Small);
    body.counters.push_back({pointer, element, count, someMode(body, element, /*commutes=*/true)});
    counter = &body.counters.back();
  }
  Shape shape = body.someShape();
  if (body.tile(shape, Element::I8).getNumElements() > 256)
    return false;
  Area area{counter->pointer, counter->element, counter->count, /*isReadOnly=*/false};
  Mode mode = counter->mode;
  Value pointers;
  if (body.tile(shape, Element::I8).getNumElements() <= area.count && body.random.chance(50)) {
    pointers = body.addresses(area, shape, /*isInjective=*/false);
  } else {
    Value base = area.pointer;
    if (!shape.empty())
      base = body.make("broadcast", body.make("reshape", base, body.pointers(Shape(shape.size(), 1), area.element)),
                       body.pointers(shape, area.element));
    pointers = body.make("offset", {base, body.masked(body.tile(shape, Element::I32), area.count - 1)}, base.getType());
  }
  ct::TileType type = body.tile(shape, area.element);
  SmallVector<Value> operands = {pointers, isFloat(area.element) ? body.small(type, 2) : body.pick(type)};
  SmallVector<int32_t> sizes = {1, 1, 0, 0};
  if (body.random.chance(50)) {
    operands.push_back(body.pick(body.tile(shape, Element::I1)));
    sizes[2] = 1;
  }
  SmallVector<NamedAttribute> attributes = atomicAttributes(body, sizes);
  // Within the block alone it would not be atomic to the others.
  if (body.numBlocks > 1)
    attributes[1] = body.enumAttribute<ct::MemoryScopeAttr>("memory_scope", ct::MemoryScope::DEVICE);
  attributes.push_back(body.enumAttribute<ct::AtomicRMWModeAttr>("mode", mode));
  body.op("atomic_rmw_tko", operands, {type, body.token()}, attributes);
  return true;
}

} // namespace

void addAtomics(Productions &productions) {
  productions.push_back({"atomic_rmw_tko", 2, [](Body &body) { return writeOwn(body, false); }});
  productions.push_back({"atomic_cas_tko", 2, [](Body &body) { return writeOwn(body, true); }});
  productions.push_back({"atomic_red_view_tko", 2, writeOwnThroughView});
  productions.push_back({"atomic_rmw_tko", 2, writeShared});
}

} // namespace tilewright::programs
