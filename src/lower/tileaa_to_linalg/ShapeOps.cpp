// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of shape that move elements are tensor operations on tiles in memory.
#include "lower/tileaa_to_linalg/Lowerings.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilewright;

namespace {

// Through one dimension, which every row-major tile has.
Value reshapeTile(OpBuilder &builder, Location loc, Value tile, RankedTensorType type) {
  auto allDims = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    llvm::append_range(groups[0], llvm::seq<int64_t>(0, rank));
    return groups;
  };
  if (int64_t rank = tileType(tile).getRank(); rank > 1)
    tile = tensor::CollapseShapeOp::create(builder, loc, tile, allDims(rank));
  if (type.getRank() > 1)
    tile = tensor::ExpandShapeOp::create(builder, loc, type, tile, allDims(type.getRank()));
  return tile;
}

SmallVector<OpFoldResult> asFold(ValueRange values) {
  return SmallVector<OpFoldResult>(values.begin(), values.end());
}

SmallVector<OpFoldResult> extents(OpBuilder &builder, ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [&](int64_t extent) -> OpFoldResult { return builder.getIndexAttr(extent); });
}

Value insertInto(OpBuilder &builder, Location loc, Value source, Value destination, ArrayRef<OpFoldResult> offsets) {
  RankedTensorType type = tileType(source);
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(builder, loc, source, destination, offsets, extents(builder, type.getShape()),
                                       ones);
}

} // namespace

void tilewright::lowerReshape(tileaa::ReshapeOp reshape, Materializer &tiles) {
  OpBuilder builder(reshape);
  Location loc = reshape.getLoc();
  auto resultType = dyn_cast<RankedTensorType>(reshape.getResult().getType());
  Value source = reshape.getSource();
  Value result;
  if (!isa<RankedTensorType>(source.getType())) {
    result = tensor::FromElementsOp::create(builder, loc, resultType, ValueRange(source));
  } else if (!resultType) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    SmallVector<Value> indices(tileType(source).getRank(), zero);
    result = tensor::ExtractOp::create(builder, loc, tiles.materialize(source, reshape), indices);
  } else {
    result = reshapeTile(builder, loc, tiles.materialize(source, reshape), resultType);
  }
  reshape.getResult().replaceAllUsesWith(result);
  reshape.erase();
}

void tilewright::lowerExtract(tileaa::ExtractOp extract, Materializer &tiles) {
  OpBuilder builder(extract);
  RankedTensorType type = tileType(extract.getResult());
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  Value slice =
      tensor::ExtractSliceOp::create(builder, extract.getLoc(), type, tiles.materialize(extract.getSource(), extract),
                                     asFold(extract.getOffsets()), extents(builder, type.getShape()), ones);
  extract.getResult().replaceAllUsesWith(slice);
  extract.erase();
}

void tilewright::lowerInsert(tileaa::InsertOp insert, Materializer &tiles) {
  OpBuilder builder(insert);
  Value result = insertInto(builder, insert.getLoc(), tiles.materialize(insert.getSource(), insert),
                            tiles.materialize(insert.getDestination(), insert), asFold(insert.getOffsets()));
  insert.getResult().replaceAllUsesWith(result);
  insert.erase();
}

void tilewright::lowerCat(tileaa::CatOp cat, Materializer &tiles) {
  OpBuilder builder(cat);
  RankedTensorType type = tileType(cat.getResult());
  Value result = tensor::EmptyOp::create(builder, cat.getLoc(), type.getShape(), type.getElementType());
  int64_t offset = 0;
  for (Value part : {cat.getLhs(), cat.getRhs()}) {
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    offsets[cat.getDim()] = builder.getIndexAttr(offset);
    offset += tileType(part).getDimSize(cat.getDim());
    result = insertInto(builder, cat.getLoc(), tiles.materialize(part, cat), result, offsets);
  }
  cat.getResult().replaceAllUsesWith(result);
  cat.erase();
}
