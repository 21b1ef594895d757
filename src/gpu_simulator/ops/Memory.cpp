// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomics. Every thread reads its own elements; the original of an element has its effect on memory.
#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Box.h"
#include "gpu_simulator/ops/Elements.h"
#include "gpu_simulator/ops/PointerAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

// The result in threads that did not execute an atomic and did not receive its result: a value that no test expects.
constexpr Bits nobodysBits = 0xBADBADBADBADBADB;

Bits paddingOf(std::optional<tileaa::Padding> padding, Element element) {
  llvm::StringRef word = tileaa::stringifyPadding(padding.value_or(tileaa::Padding::Zero));
  return interpreter::paddingBits(*cuda_tile::symbolizePaddingValue(word), element);
}

void loadView(tileaa::LoadViewOp op, Actor &actor) {
  Type type = op.getTile().getType();
  Box box(actor, op.getView(), op.getOffsets(), op.getDimMap(), type);
  const Holding *holding = actor.holdingOf(type);
  Element element = elementOfType(type);
  Bits padding = paddingOf(op.getPadding(), op.getFormat() ? elementOfType(*op.getFormat()) : element);
  std::vector<Bits> bits(holding ? holding->size() : 1);
  for (int64_t i = 0, count = bits.size(); i != count; ++i) {
    auto address = box.at(holding ? holding->elements[i] : 0);
    bits[i] = address ? actor.block.global.read(*address, element) : padding;
  }
  actor.set(op.getTile(), Tile(element, holding, std::move(bits)));
}

void storeView(tileaa::StoreViewOp op, Actor &actor) {
  const Tile &tile = actor.tile(op.getTile());
  Box box(actor, op.getView(), op.getOffsets(), op.getDimMap(), op.getTile().getType());
  for (uint32_t place : actor.originalsOf(tile))
    if (auto address = box.at(tile.holding ? tile.holding->elements[place] : 0))
      actor.block.global.write(*address, tile.element, tile.at(place));
}

void loadPtr(tileaa::LoadPtrOp op, Actor &actor) {
  PointerAccess access(actor, op.getAddresses(), op.getMask());
  Element element = elementOfType(op.getTile().getType());
  std::optional<Tile> padding;
  if (op.getPadding())
    padding = actor.tileAs(op.getPadding(), access.holding);
  bool isOnce = op.getOrdering().has_value();
  std::vector<Bits> bits(access.count(), isOnce ? truncate(nobodysBits, element) : 0);
  auto load = [&](int64_t place) {
    bits[place] = access.isOn(place) ? actor.block.global.read(access.addresses.at(place), element)
                  : padding          ? padding->at(place)
                                     : 0;
  };
  if (isOnce)
    for (uint32_t place : actor.originalsOf(access.addresses))
      load(place);
  else
    for (int64_t place = 0; place != access.count(); ++place)
      load(place);
  actor.set(op.getTile(), Tile(element, access.holding, std::move(bits)));
}

void storePtr(tileaa::StorePtrOp op, Actor &actor) {
  PointerAccess access(actor, op.getAddresses(), op.getMask());
  Tile tile = actor.tileAs(op.getTile(), access.holding);
  for (uint32_t place : actor.originalsOf(access.addresses))
    if (access.isOn(place))
      actor.block.global.write(access.addresses.at(place), tile.element, tile.at(place));
}

Bits pickFloat(Element element, Bits old, Bits value, bool larger, bool propagatesNaN) {
  const FloatFormat &format = formatOf(element);
  if (format.isNaN(old) || format.isNaN(value))
    return propagatesNaN ? format.getNaN() : format.isNaN(old) ? value : old;
  double a = format.decode(old), b = format.decode(value);
  bool isBelow = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return isBelow == larger ? value : old;
}

Bits combine(arith::AtomicRMWKind kind, Element element, Bits old, Bits value) {
  using Kind = arith::AtomicRMWKind;
  int64_t a = signExtend(old, element), b = signExtend(value, element);
  switch (kind) {
  case Kind::addf:
    return formatOf(element).encode(formatOf(element).decode(old) + formatOf(element).decode(value));
  case Kind::mulf:
    return formatOf(element).encode(formatOf(element).decode(old) * formatOf(element).decode(value));
  case Kind::addi:
    return truncate(old + value, element);
  case Kind::muli:
    return truncate(old * value, element);
  case Kind::andi:
    return old & value;
  case Kind::ori:
    return old | value;
  case Kind::xori:
    return old ^ value;
  case Kind::maxs:
    return a < b ? value : old;
  case Kind::mins:
    return a > b ? value : old;
  case Kind::maxu:
    return std::max(old, value);
  case Kind::minu:
    return std::min(old, value);
  case Kind::maximumf:
  case Kind::maxnumf:
    return pickFloat(element, old, value, /*larger=*/true, kind == Kind::maximumf);
  case Kind::minimumf:
  case Kind::minnumf:
    return pickFloat(element, old, value, /*larger=*/false, kind == Kind::minimumf);
  case Kind::assign:
    return value;
  }
  llvm_unreachable("all kinds are listed");
}

// Replaces each original's element where the mask is true; `otherwise` is the result where it is false.
template <typename Op, typename Change, typename Otherwise>
void update(Op op, Actor &actor, Change change, Otherwise otherwise) {
  PointerAccess access(actor, op.getAddresses(), op.getMask());
  Element element = elementOfType(op.getValue().getType());
  Tile value = actor.tileAs(op.getValue(), access.holding);
  std::vector<Bits> bits(access.count(), truncate(nobodysBits, element));
  for (uint32_t place : actor.originalsOf(access.addresses)) {
    if (!access.isOn(place)) {
      bits[place] = otherwise(place);
      continue;
    }
    uint64_t address = access.addresses.at(place);
    bits[place] = actor.block.global.read(address, element);
    actor.block.global.write(address, element, change(place, bits[place], value.at(place)));
  }
  actor.set(op.getOld(), Tile(element, access.holding, std::move(bits)));
}

void atomicRmw(tileaa::AtomicRmwOp op, Actor &actor) {
  Element element = elementOfType(op.getValue().getType());
  actor.block.hasAtomics = true;
  update(
      op, actor, [&](uint32_t, Bits old, Bits value) { return combine(op.getKind(), element, old, value); },
      [](uint32_t) { return Bits(0); });
}

void atomicCas(tileaa::AtomicCasOp op, Actor &actor) {
  Tile expected = actor.tileAs(op.getExpected(), actor.tile(op.getAddresses()).holding);
  actor.block.hasAtomics = true;
  update(
      op, actor, [&](uint32_t place, Bits old, Bits value) { return old == expected.at(place) ? value : old; },
      [&](uint32_t place) { return expected.at(place); });
}

} // namespace

void simulator::registerMemoryOps(HandlerTable &table) {
  table.on<tileaa::LoadViewOp>(loadView);
  table.on<tileaa::StoreViewOp>(storeView);
  table.on<tileaa::LoadPtrOp>(loadPtr);
  table.on<tileaa::StorePtrOp>(storePtr);
  table.on<tileaa::AtomicRmwOp>(atomicRmw);
  table.on<tileaa::AtomicCasOp>(atomicCas);
  table.on<tileaa::FenceOp>([](tileaa::FenceOp, Actor &) {});
  table.on<tileaa::AllocaOp>([](tileaa::AllocaOp op, Actor &actor) -> llvm::Error {
    auto address = actor.block.allocate(op, actor);
    if (!address)
      return address.takeError();
    actor.set(op.getAddress(), Tile::scalar(Element::I64, *address));
    return llvm::Error::success();
  });
  table.on<tileaa::GetGlobalOp>([](tileaa::GetGlobalOp op, Actor &actor) {
    actor.set(op.getAddress(), Tile::scalar(Element::I64, actor.block.launch.addressOfGlobal(op.getName())));
  });
}
