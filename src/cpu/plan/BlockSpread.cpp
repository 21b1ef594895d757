// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/BlockSpread.h"

#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;
using tileaa::StoreViewOp;

static ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

SmallVector<int64_t> BlockSpread::Along::widen(ArrayRef<int64_t> shape, int64_t blocks) const {
  SmallVector<int64_t> wider(shape);
  if (isNew)
    wider.insert(wider.begin() + dim, blocks);
  else
    wider[dim] *= blocks;
  return wider;
}

std::optional<BlockSpread> BlockSpread::of(func::FuncOp kernel) {
  BlockSpread spread(kernel);
  if (!kernel.getBody().hasOneBlock() ||
      !llvm::all_of(kernel.getBody().front(), [&](Operation &op) { return spread.visit(op); }) || spread.moves.empty())
    return std::nullopt;
  return spread;
}

const BlockSpread::Along *BlockSpread::of(Value tile) const {
  auto found = tiles.find(tile);
  return found == tiles.end() ? nullptr : &found->second;
}
const BlockSpread::Along *BlockSpread::of(linalg::GenericOp loop) const {
  auto found = loops.find(loop);
  return found == loops.end() ? nullptr : &found->second;
}
std::optional<int64_t> BlockSpread::viewDimOf(Operation *access) const {
  auto found = moves.find(access);
  return found == moves.end() ? std::nullopt : std::optional(found->second.viewDim);
}

static int64_t elementsOf(Value tile) {
  return ShapedType::getNumElements(shapeOf(tile.getType()));
}

static int64_t bytesOf(Value tile) {
  return elementsOf(tile) * getElementTypeOrSelf(tile).getIntOrFloatBitWidth() / 8;
}

int64_t BlockSpread::bytesOfBlock() const {
  int64_t bytes = 0;
  for (auto [tile, along] : tiles)
    bytes += bytesOf(tile);
  return bytes;
}

int64_t BlockSpread::bytesMoved() const {
  int64_t bytes = 0;
  for (auto &[access, move] : moves) {
    auto load = dyn_cast<LoadViewOp>(access);
    bytes += bytesOf(load ? load.getTile() : cast<StoreViewOp>(access).getTile());
  }
  return bytes;
}

int64_t BlockSpread::longestTile() const {
  int64_t most = 0;
  for (auto [tile, along] : tiles)
    most = std::max(most, elementsOf(tile));
  return most;
}

int64_t BlockSpread::countReductions() const {
  int64_t stored = 0, count = 0;
  kernel.walk([&](StoreViewOp store) { stored = std::max(stored, elementsOf(store.getTile())); });
  kernel.walk([&](linalg::GenericOp loop) {
    SmallVector<int64_t> ranges = loop.getStaticLoopRanges();
    SmallVector<unsigned> dims;
    loop.getReductionDims(dims);
    count += of(loop) && ShapedType::getNumElements(ranges) <= stored &&
             llvm::any_of(dims, [&](unsigned dim) { return ranges[dim] > 1; });
  });
  return count;
}

bool BlockSpread::storesNarrow() const {
  bool narrow = false;
  kernel.walk([&](StoreViewOp store) { narrow |= getElementTypeOrSelf(store.getTile()).getIntOrFloatBitWidth() < 32; });
  return narrow;
}

//===-- operations ----------------------------------------------------------===//

bool BlockSpread::visit(Operation &op) {
  if (auto block = dyn_cast<tileaa::BlockIdOp>(op))
    return scalars.insert(block.getX()), true;
  if (auto load = dyn_cast<LoadViewOp>(op))
    return visit(load);
  if (auto store = dyn_cast<StoreViewOp>(op))
    return visit(store);
  if (auto loop = dyn_cast<linalg::GenericOp>(op))
    return visit(loop);
  return visitOther(op);
}

// Scalars may differ in any way. An element of a tile is known by the tile of all blocks.
bool BlockSpread::visitOther(Operation &op) {
  if (op.getNumRegions() > 0 ? !isa<linalg::FillOp>(op) : !isMemoryEffectFree(&op))
    return isa<func::ReturnOp>(op);
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (const Along *along = extract ? of(extract.getTensor()) : nullptr) {
    scalars.insert(extract.getResult());
    return along->extent == 1 && ShapedType::getNumElements(extract.getTensor().getType().getShape()) == 1;
  }
  if (llvm::any_of(op.getOperands(), [&](Value operand) { return of(operand) && isa<TensorType>(operand.getType()); }))
    return false;
  if (llvm::none_of(op.getOperands(), [&](Value operand) { return differs(operand); }))
    return true;
  scalars.insert(op.result_begin(), op.result_end());
  return isPure(&op) && llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
}

//===-- accesses ------------------------------------------------------------===//

// The growth of an offset from block to block; nothing if that is no constant.
std::optional<int64_t> BlockSpread::stepOf(Value offset) const {
  if (!differs(offset))
    return 0;
  Operation *op = offset.getDefiningOp();
  if (isa<tileaa::BlockIdOp>(op))
    return 1;
  if (isa<arith::IndexCastOp, arith::ExtSIOp, tileaa::AssumeDivByOp>(op))
    return stepOf(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<int64_t> left = stepOf(op->getOperand(0)), right = stepOf(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  // A step is of few blocks, and a factor is smaller than an array: products do not overflow.
  std::optional<int64_t> factor = getConstantIntValue(op->getOperand(*left == 0 ? 0 : 1));
  return factor && std::abs(*factor) <= INT32_MAX ? std::optional(*factor * (*left + *right)) : std::nullopt;
}

bool BlockSpread::move(Operation *access, ValueRange offsets) {
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    std::optional<int64_t> step = stepOf(offset);
    if (!step || (*step != 0 && !moves.insert({access, {(int64_t)dim, *step}}).second))
      return false;
  }
  return true;
}

// Where the boxes of neighbouring blocks touch each other; nothing if they overlap or leave gaps.
std::optional<BlockSpread::Along> BlockSpread::alongOf(Operation *access, Type tile, ArrayRef<int64_t> dimMap) const {
  auto [viewDim, step] = moves.at(access);
  const int64_t *found = llvm::find(dimMap, viewDim);
  Along along;
  if (found != dimMap.end())
    along = {found - dimMap.begin(), shapeOf(tile)[found - dimMap.begin()], /*isNew=*/false};
  return along.extent == step ? std::optional(along) : std::nullopt;
}

bool BlockSpread::visit(LoadViewOp load) {
  if (!move(load, load.getOffsets()))
    return false;
  if (!moves.contains(load))
    return true;
  Type type = load.getTile().getType();
  std::optional<Along> along = alongOf(load, type, load.getDimMap());
  if (!along)
    return false;
  tiles[load.getTile()] = *along;
  if (!isa<TensorType>(type))
    scalars.insert(load.getTile());
  return true;
}

bool BlockSpread::visit(StoreViewOp store) {
  if (!move(store, store.getOffsets()) || !moves.contains(store))
    return false;
  Value tile = store.getTile();
  std::optional<Along> along = alongOf(store, tile.getType(), store.getDimMap());
  if (!along || !isa<TensorType>(tile.getType()))
    return along && differs(tile);
  return of(tile) && *of(tile) == *along;
}

//===-- loops ---------------------------------------------------------------===//

bool BlockSpread::usesScalars(linalg::GenericOp loop) const {
  return llvm::any_of(*loop.getBody(), [&](Operation &op) {
    return llvm::any_of(op.getOperands(), [&](Value operand) { return differs(operand); });
  });
}

// The loop's dimension that runs along the blocks of its tiles. Where it reads one element of each block, or none, that
// is one along which it writes as much as a block of the kernel has, or a new one.
BlockSpread::Along BlockSpread::alongOf(linalg::GenericOp loop) const {
  SmallVector<int64_t> ranges = loop.getStaticLoopRanges();
  bool readsTiles = false;
  for (OpOperand &operand : loop->getOpOperands()) {
    const Along *tile = of(operand.get());
    if (!tile)
      continue;
    readsTiles = true;
    if (tile->isNew)
      continue;
    if (auto dim = dyn_cast<AffineDimExpr>(loop.getMatchingIndexingMap(&operand).getResult(tile->dim)))
      return {dim.getPosition(), ranges[dim.getPosition()], /*isNew=*/false};
  }
  int64_t extent = readsTiles || moves.empty() ? 1 : moves.begin()->second.step;
  for (AffineExpr expression : loop.getMatchingIndexingMap(loop.getDpsInitOperand(0)).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expression); dim && ranges[dim.getPosition()] == extent)
      return {dim.getPosition(), extent, /*isNew=*/false};
  return {};
}

// Whether the loop walks over the blocks of an operand as it walks over its own.
bool BlockSpread::suits(linalg::GenericOp loop, const Along &along, OpOperand &operand) const {
  const Along *tile = of(operand.get());
  if (!isa<RankedTensorType>(operand.get().getType()) || (tile && tile->extent != along.extent))
    return false;
  for (auto [place, expression] : llvm::enumerate(loop.getMatchingIndexingMap(&operand).getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    if (!dim && !isa<AffineConstantExpr>(expression))
      return false;
    bool isAlong = dim && !along.isNew && dim.getPosition() == along.dim;
    bool isOfBlocks = tile && !tile->isNew && (int64_t)place == tile->dim;
    // Of what is no dimension of blocks there is one element.
    if (isAlong != isOfBlocks && (along.extent != 1 || (isOfBlocks && dim)))
      return false;
  }
  return true;
}

// Where the blocks lie in a result; nothing if the loop cannot begin with what it begins with in each block.
std::optional<BlockSpread::Along> BlockSpread::alongOf(OpResult result, const Along &ofLoop) const {
  auto loop = cast<linalg::GenericOp>(result.getOwner());
  OpOperand *init = loop.getDpsInitOperand(result.getResultNumber());
  Along along{0, ofLoop.extent, /*isNew=*/true};
  for (auto [place, expression] : llvm::enumerate(loop.getMatchingIndexingMap(init).getResults()))
    if (!ofLoop.isNew && expression == getAffineDimExpr(ofLoop.dim, loop.getContext()))
      along = {(int64_t)place, ofLoop.extent, /*isNew=*/false};
  if (along.isNew && along.extent != 1)
    return std::nullopt;
  if (const Along *ofInit = of(init->get()))
    return *ofInit == along ? std::optional(along) : std::nullopt;
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  Value empty = fill ? fill.getOutputs().front() : init->get();
  return empty.getDefiningOp<tensor::EmptyOp>() ? std::optional(along) : std::nullopt;
}

bool BlockSpread::visit(linalg::GenericOp loop) {
  auto isPlain = [](Operation &op) {
    auto load = dyn_cast<PtrLoadOp>(op);
    return op.getNumRegions() == 0 && (load ? !load.getOrdering() : isMemoryEffectFree(&op));
  };
  if (!llvm::all_of(*loop.getBody(), isPlain) || loop->getNumResults() == 0)
    return false;
  if (!usesScalars(loop) && llvm::none_of(loop->getOperands(), [&](Value operand) { return of(operand) != nullptr; }))
    return true;
  Along along = alongOf(loop);
  bool isReduced = !along.isNew && loop.getIteratorTypesArray()[along.dim] == utils::IteratorType::reduction;
  if ((isReduced && along.extent != 1) ||
      !llvm::all_of(loop.getDpsInputOperands(), [&](OpOperand *input) { return suits(loop, along, *input); }))
    return false;
  for (OpResult result : loop->getResults()) {
    std::optional<Along> ofResult = alongOf(result, along);
    if (!ofResult)
      return false;
    tiles[result] = *ofResult;
  }
  loops[loop] = along;
  return true;
}
