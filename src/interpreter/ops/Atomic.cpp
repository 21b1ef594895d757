// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic reads, modifications and writes. Blocks run one after the other, so each is atomic.
#include "interpreter/FloatFormat.h"
#include "interpreter/Handlers.h"
#include "interpreter/ViewTile.h"
#include <cmath>

using namespace mlir;

namespace tilewright::interpreter {
namespace {

using Mode = cuda_tile::AtomicRMWMode;

// The larger or smaller float; a NaN is ignored, and -0 is below +0. Multicast reductions have these for short floats.
Bits pickFloat(Element element, Bits old, Bits value, bool larger) {
  const FloatFormat &format = formatOf(element);
  if (format.isNaN(old) || format.isNaN(value))
    return format.isNaN(old) ? value : old;
  double a = format.decode(old), b = format.decode(value);
  bool isBelow = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return isBelow == larger ? value : old;
}

Bits combine(Mode mode, Element element, Bits old, Bits value) {
  switch (mode) {
  case Mode::AND:
    return old & value;
  case Mode::OR:
    return old | value;
  case Mode::XOR:
    return old ^ value;
  case Mode::ADD:
    return truncate(old + value, element);
  case Mode::ADDF: {
    // A double holds the sum of two shorter floats well enough to be rounded once more.
    const FloatFormat &format = formatOf(element);
    return format.encode(format.decode(old) + format.decode(value));
  }
  case Mode::MAX:
    if (isFloat(element))
      return pickFloat(element, old, value, /*larger=*/true);
    return signExtend(old, element) < signExtend(value, element) ? value : old;
  case Mode::MIN:
    if (isFloat(element))
      return pickFloat(element, old, value, /*larger=*/false);
    return signExtend(old, element) > signExtend(value, element) ? value : old;
  case Mode::UMAX:
    return std::max(old, value);
  case Mode::UMIN:
    return std::min(old, value);
  case Mode::XCHG:
    return value;
  }
  llvm_unreachable("all modes are listed");
}

// A multicast reduction adds floats where the memory has them.
Mode modeOf(cuda_tile::MultimemReductionKind kind, Element element) {
  switch (kind) {
  case cuda_tile::MultimemReductionKind::ADD:
    return isFloat(element) ? Mode::ADDF : Mode::ADD;
  case cuda_tile::MultimemReductionKind::MIN:
    return Mode::MIN;
  case cuda_tile::MultimemReductionKind::MAX:
    return Mode::MAX;
  case cuda_tile::MultimemReductionKind::AND:
    return Mode::AND;
  case cuda_tile::MultimemReductionKind::OR:
    return Mode::OR;
  case cuda_tile::MultimemReductionKind::XOR:
    return Mode::XOR;
  case cuda_tile::MultimemReductionKind::UMIN:
    return Mode::UMIN;
  case cuda_tile::MultimemReductionKind::UMAX:
    return Mode::UMAX;
  }
  llvm_unreachable("all kinds are listed");
}

llvm::Error handleRmw(cuda_tile::AtomicRMWTkoOp op, Context &context) {
  const Tile &pointers = context.tile(op.getPointers()), &argument = context.tile(op.getArg());
  const Tile *mask = op.getMask() ? &context.tile(op.getMask()) : nullptr;
  Tile tile(llvm::cast<cuda_tile::TileType>(op.getResult().getType()));
  llvm::SmallVector<int64_t> undefined;
  Accesses accesses(op, context, /*isAtomic=*/true);
  for (int64_t i = 0; i < tile.size(); ++i) {
    if (mask && !mask->bits[i]) {
      undefined.push_back(i);
      continue;
    }
    tile.bits[i] = accesses.update(i, {pointers.bits[i]}, tile.element, [&](Bits old) {
      return combine(op.getMode(), tile.element, old, argument.bits[i]);
    });
  }
  if (context.monitor && !undefined.empty())
    context.monitor->undefinedElements(op, undefined);
  context.set(op.getResult(), std::move(tile));
  context.set(op.getResultToken(), accesses.finish());
  return llvm::Error::success();
}

llvm::Error handleCas(cuda_tile::AtomicCASTkoOp op, Context &context) {
  const Tile &pointers = context.tile(op.getPointers()), &expected = context.tile(op.getCmp()),
             &replacement = context.tile(op.getVal());
  const Tile *mask = op.getMask() ? &context.tile(op.getMask()) : nullptr;
  Tile tile = expected; // the result of masked elements
  Accesses accesses(op, context, /*isAtomic=*/true);
  for (int64_t i = 0; i < tile.size(); ++i)
    if (!mask || mask->bits[i])
      tile.bits[i] = accesses.update(i, {pointers.bits[i]}, tile.element,
                                     [&](Bits old) { return old == expected.bits[i] ? replacement.bits[i] : old; });
  context.set(op.getResult(), std::move(tile));
  context.set(op.getResultToken(), accesses.finish());
  return llvm::Error::success();
}

template <typename Op> void reduceInto(Op op, Context &context, const Tile &tile, Mode mode) {
  Accesses accesses(op, context, /*isAtomic=*/true);
  ViewTile(op, context, op.getView(), op.getIndex(), op.getInbounds())
      .forEach([&](int64_t i, std::optional<Place> place) {
        if (place)
          accesses.update(i, *place, tile.element,
                          [&](Bits old) { return combine(mode, tile.element, old, tile.bits[i]); });
      });
  context.set(op.getResultToken(), accesses.finish());
}

llvm::Error handleRedView(cuda_tile::AtomicRedViewTkoOp op, Context &context) {
  reduceInto(op, context, context.tile(op.getValue()), op.getMode());
  return llvm::Error::success();
}

llvm::Error handleMultimemReduce(cuda_tile::MultimemReduceViewTkoOp op, Context &context) {
  const Tile &tile = context.tile(op.getTile());
  reduceInto(op, context, tile, modeOf(op.getReduction(), tile.element));
  return llvm::Error::success();
}

} // namespace

void registerAtomicOps(HandlerTable &table) {
  table.add<handleRmw>();
  table.add<handleCas>();
  table.add<handleRedView>();
  table.add<handleMultimemReduce>();
}

} // namespace tilewright::interpreter
