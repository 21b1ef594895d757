// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/SliceChain.h"

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

Value tileaa::joinTokens(OpBuilder &builder, Location loc, ValueRange tokens) {
  return tokens.size() == 1 ? tokens[0] : JoinTokensOp::create(builder, loc, tokens).getResult();
}

//===-- which operations --------------------------------------------------===//

SliceChain::SliceChain(Operation *sink, ArrayRef<Value> tiles, TileSlice slice, int64_t smallElements,
                       bool mayLoadAgain)
    : sink(sink), slice(slice), smallElements(smallElements), mayLoadAgain(mayLoadAgain) {
  canSlice = llvm::all_of(tiles, [&](Value tile) { return visit(tile, slice); });
  canSlice &= llvm::all_of(loads, [&](const auto &load) { return mayWait(load.first, load.second); });
}

bool SliceChain::isAlone() const {
  return llvm::all_of(loads, [&](const auto &load) {
    return llvm::all_of(load.first->getResult(0).getUsers(),
                        [&](Operation *user) { return user == sink || fused.contains(user); });
  });
}

// Whether the tile is fused, or small enough to be kept whole.
bool SliceChain::visit(Value tile, TileSlice slice) {
  auto [place, isNew] = isFused.try_emplace(keyOf(tile, slice), false);
  bool isSmall = typeOf(tile).getNumElements() <= smallElements;
  if (!isNew)
    return place->second || isSmall;
  Operation *op = tile.getDefiningOp();
  bool isLoad = isa_and_nonnull<LoadViewOp, LoadPtrOp>(op);
  std::optional<SlicedOperands> operands = op ? slicedOperands(op, slice) : std::nullopt;
  bool isHere = !isLoad || op->getBlock() == sink->getBlock() || (mayLoadAgain && op->getResult(1).use_empty());
  if (!operands || !isHere ||
      !llvm::all_of(*operands, [&](const auto &each) { return visit(each.first->get(), each.second); }))
    return isSmall;
  if (isLoad)
    loads.push_back({op, slice});
  isFused[keyOf(tile, slice)] = true;
  fused.insert(op);
  return true;
}

// A load that waits for its slice comes after what stands between it and the sink: not where something there comes
// after the load. The sink may, if each of its slices is in the place of the one that was loaded.
bool SliceChain::mayWait(Operation *load, TileSlice loaded) {
  SmallVector<Value> after = {load->getResult(1)};
  llvm::SmallPtrSet<Operation *, 8> joins;
  while (!after.empty())
    for (OpOperand &use : after.pop_back_val().getUses()) {
      Operation *user = use.getOwner(), *place = sink->getBlock()->findAncestorOpInBlock(*user);
      if (isa<JoinTokensOp>(user) && place == user) {
        if (joins.insert(user).second)
          after.push_back(user->getResult(0));
      } else if (!place || (place == sink && !isInPlace(load, loaded)) ||
                 (place != sink && place->isBeforeInBlock(sink))) {
        return false;
      } else if (place == sink) {
        comesAfter = true;
      } else {
        later.push_back(&use);
      }
    }
  return true;
}

// Addresses may be the same in two slices.
bool SliceChain::isInPlace(Operation *op, TileSlice loaded) const {
  auto load = dyn_cast<LoadViewOp>(op);
  auto store = dyn_cast<StoreViewOp>(sink);
  return load && store && loaded == slice && store.getView() == load.getView() &&
         store.getOffsets() == load.getOffsets() && store.getDimMap() == load.getDimMap();
}

void SliceChain::orderLaterAccesses(Value loopToken) const {
  for (OpOperand *use : later) {
    OpBuilder builder(use->getOwner());
    use->set(joinTokens(builder, use->getOwner()->getLoc(), {use->get(), loopToken}));
  }
}

//===-- their slices ------------------------------------------------------===//

Value SliceEmitter::emit(Value tile, TileSlice slice) {
  SliceChain::Key key = SliceChain::keyOf(tile, slice);
  if (Value known = emitted.lookup(key))
    return known;
  Value value = chain.fuses(tile, slice) ? clone(tile, slice) : extract(tile, slice);
  return emitted[key] = value;
}

Value SliceEmitter::extract(Value tile, TileSlice slice) {
  Location loc = tile.getLoc();
  SmallVector<Value> offsets(typeOf(tile).getRank(), arith::ConstantIndexOp::create(builder, loc, 0));
  offsets[slice.dim] = slice.offset(builder, loc, number);
  return ExtractOp::create(builder, loc, slice.typeIn(typeOf(tile)), tile, offsets);
}

Value SliceEmitter::iota(Location loc, RankedTensorType type, TileSlice slice) {
  Value first = arith::IndexCastOp::create(builder, loc, type.getElementType(), slice.offset(builder, loc, number));
  return arith::AddIOp::create(builder, loc, IotaOp::create(builder, loc, type),
                               BroadcastOp::create(builder, loc, type, first));
}

// The operation that made the tile, on slices.
Value SliceEmitter::clone(Value tile, TileSlice slice) {
  Operation *op = tile.getDefiningOp();
  Location loc = op->getLoc();
  RankedTensorType type = slice.typeIn(typeOf(tile));
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, loc, constant.resizeSplat(type));
  if (isa<IotaOp>(op))
    return iota(loc, type, slice);
  SlicedOperands sliced = *slicedOperands(op, slice);
  SmallVector<std::pair<unsigned, Value>> operands;
  for (auto [operand, part] : sliced)
    operands.push_back({operand->getOperandNumber(), emit(operand->get(), part)});
  Value offset;
  if (auto load = dyn_cast<LoadViewOp>(op))
    offset = slice.offsetFrom(load.getOffsets()[load.getDimMap()[slice.dim]], builder, loc, number);
  Operation *copy = builder.clone(*op);
  for (auto [place, part] : operands)
    copy->setOperand(place, part);
  copy->getResult(0).setType(type);
  if (auto load = dyn_cast<LoadViewOp>(copy))
    load.getOffsetsMutable()[load.getDimMap()[slice.dim]].set(offset);
  if (isa<LoadViewOp, LoadPtrOp>(copy))
    loaded.push_back(copy->getResult(1));
  return copy->getResult(0);
}
