// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/EdgeLoops.h"

#include "cpu/place/ArrayAlias.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;
using tileaa::StoreViewOp;

template <typename Op> static std::optional<int64_t> contiguousDimIn(Op access) {
  if (!access.getView().template getDefiningOp<tileaa::MakeViewOp>())
    return std::nullopt;
  return ViewAccess::of(access)->contiguousDim();
}

// The dimension along which a tile is contiguous: that of its view or of its buffer, or the last one.
static std::optional<int64_t> contiguousDim(Value tile) {
  if (auto load = tile.getDefiningOp<LoadViewOp>())
    return contiguousDimIn(load);
  if (auto store = tile.hasOneUse() ? dyn_cast<StoreViewOp>(*tile.user_begin()) : StoreViewOp())
    return contiguousDimIn(store);
  int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
  if (auto placed = tile.getDefiningOp<bufferization::ToTensorOp>()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = cast<MemRefType>(placed.getBuffer().getType());
    if (failed(type.getStridesAndOffset(strides, offset)))
      return std::nullopt;
    auto unit = llvm::find(llvm::reverse(strides), 1);
    return unit == strides.rend() ? std::nullopt : std::optional<int64_t>(rank - 1 - (unit - strides.rbegin()));
  }
  return rank - 1;
}

bool cpu::runsAlong(linalg::GenericOp loop, int64_t dim) {
  AffineExpr along = getAffineDimExpr(dim, loop.getContext());
  for (OpOperand &operand : loop->getOpOperands()) {
    AffineMap map = loop.getMatchingIndexingMap(&operand);
    if (!isa<RankedTensorType>(operand.get().getType()) || !map.isFunctionOfDim(dim))
      continue;
    bool isResult = loop.isDpsInit(&operand);
    std::optional<int64_t> contiguous = contiguousDim(isResult ? loop.getTiedOpResult(&operand) : operand.get());
    if (!contiguous || map.getResult(*contiguous) != along)
      return false;
  }
  return !hasOrdering(loop);
}

// Shorter lines are one step of a loop.
static bool isLong(int64_t size, const Plan &plan) {
  return size > plan.lanes(32) * plan.loopVectors;
}

std::optional<int64_t> cpu::lineDim(linalg::GenericOp loop, const Plan &plan) {
  SmallVector<int64_t> sizes = loop.getStaticLoopRanges();
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim)
    if (isLong(sizes[dim], plan) && runsAlong(loop, dim))
      return dim;
  return std::nullopt;
}

bool cpu::isReadAlongLines(LoadViewOp load, const ViewAccess &access, const Plan &plan) {
  auto type = cast<RankedTensorType>(load.getTile().getType());
  std::optional<int64_t> lines = access.contiguousDim();
  if (!lines || !isLong(type.getDimSize(*lines), plan))
    return false;
  return llvm::all_of(load.getTile().getUses(), [&](OpOperand &use) {
    if (auto store = dyn_cast<StoreViewOp>(use.getOwner()))
      return contiguousDimIn(store) == lines;
    auto loop = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!loop || !loop.isDpsInput(&use))
      return false;
    auto along = dyn_cast<AffineDimExpr>(loop.getMatchingIndexingMap(&use).getResult(*lines));
    return along && runsAlong(loop, along.getPosition());
  });
}

bool cpu::isWrittenAlongLines(linalg::GenericOp loop, unsigned result, const ViewAccess &access, const Plan &plan) {
  auto type = cast<RankedTensorType>(loop.getResult(result).getType());
  std::optional<int64_t> lines = access.contiguousDim();
  return lines && isLong(type.getDimSize(*lines), plan) && runsAlong(loop, *lines);
}
