// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements and look at none.
#include "interpreter/Handlers.h"
#include "interpreter/Walk.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

Tile resultTile(mlir::Value result) {
  return Tile(llvm::cast<cuda_tile::TileType>(result.getType()));
}

// Numbers of sub-tiles to the first element of one, per dimension.
Index subTileOffset(Context &context, ValueRange indices, llvm::ArrayRef<int64_t> subShape) {
  Index offset;
  for (auto [index, extent] : llvm::zip_equal(indices, subShape))
    offset.push_back(context.integer(index) * extent);
  return offset;
}

// Whether a sub-tile lies in the tile.
bool isInside(llvm::ArrayRef<int64_t> offset, llvm::ArrayRef<int64_t> extent, llvm::ArrayRef<int64_t> shape) {
  for (auto [first, count, all] : llvm::zip_equal(offset, extent, shape))
    if (first < 0 || first > all - count)
      return false;
  return true;
}

llvm::Error handleIota(cuda_tile::IotaOp op, Context &context) {
  Tile tile = resultTile(op.getResult());
  for (auto [i, bits] : llvm::enumerate(tile.bits))
    bits = truncate(i, tile.element);
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleSelect(cuda_tile::SelectOp op, Context &context) {
  const Tile &condition = context.tile(op.getCond()), &other = context.tile(op.getValIfFalse());
  Tile tile = context.tile(op.getValIfTrue());
  for (int64_t i = 0; i < tile.size(); ++i)
    if (!condition.bits[i])
      tile.bits[i] = other.bits[i];
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleReshape(cuda_tile::ReshapeOp op, Context &context) {
  Tile tile = context.tile(op.getSource());
  tile.shape.assign(op.getResult().getType().getShape().begin(), op.getResult().getType().getShape().end());
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleBroadcast(cuda_tile::BroadcastOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  Tile tile = resultTile(op.getResult());
  Index strides = rowMajorStrides(source.shape);
  for (auto [stride, extent] : llvm::zip_equal(strides, source.shape))
    stride = extent == 1 ? 0 : stride;
  forEachIndex(tile.shape,
               [&](int64_t i, llvm::ArrayRef<int64_t> index) { tile.bits[i] = source.bits[dot(index, strides)]; });
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handlePermute(cuda_tile::PermuteOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  Tile tile = resultTile(op.getResult());
  Index sourceStrides = rowMajorStrides(source.shape), strides;
  for (int32_t dim : op.getPermutation())
    strides.push_back(sourceStrides[dim]);
  forEachIndex(tile.shape,
               [&](int64_t i, llvm::ArrayRef<int64_t> index) { tile.bits[i] = source.bits[dot(index, strides)]; });
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

// Copies all of `part` to `offset` in `whole`, or back.
void copyPart(Tile &whole, llvm::ArrayRef<int64_t> offset, Tile &part, bool isIntoPart) {
  Index strides = rowMajorStrides(whole.shape);
  int64_t first = dot(offset, strides);
  forEachIndex(part.shape, [&](int64_t i, llvm::ArrayRef<int64_t> index) {
    Bits &outer = whole.bits[first + dot(index, strides)], &inner = part.bits[i];
    (isIntoPart ? inner : outer) = isIntoPart ? outer : inner;
  });
}

llvm::Error handleCat(cuda_tile::CatOp op, Context &context) {
  Tile &lhs = context.tile(op.getLhs()), &rhs = context.tile(op.getRhs());
  Tile tile = resultTile(op.getResult());
  Index offset(tile.shape.size(), 0);
  copyPart(tile, offset, lhs, /*isIntoPart=*/false);
  offset[op.getDim()] = lhs.shape[op.getDim()];
  copyPart(tile, offset, rhs, /*isIntoPart=*/false);
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleExtract(cuda_tile::ExtractOp op, Context &context) {
  Tile &source = context.tile(op.getSource());
  Tile tile = resultTile(op.getResult());
  Index offset = subTileOffset(context, op.getIndices(), tile.shape);
  if (isInside(offset, tile.shape, source.shape))
    copyPart(source, offset, tile, /*isIntoPart=*/true);
  else
    context.violated(op, Violation::IndexSpace, "the indices select no sub-tile of the source");
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleInsert(cuda_tile::InsertOp op, Context &context) {
  Tile &source = context.tile(op.getSource());
  Tile tile = context.tile(op.getDestination());
  Index offset = subTileOffset(context, op.getIndices(), source.shape);
  if (isInside(offset, source.shape, tile.shape))
    copyPart(tile, offset, source, /*isIntoPart=*/false);
  else
    context.violated(op, Violation::IndexSpace, "the indices select no sub-tile of the destination");
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

} // namespace

void registerShapeOps(HandlerTable &table) {
  table.add<handleIota>();
  table.add<handleSelect>();
  table.add<handleReshape>();
  table.add<handleBroadcast>();
  table.add<handlePermute>();
  table.add<handleCat>();
  table.add<handleExtract>();
  table.add<handleInsert>();
}

} // namespace tilewright::interpreter
