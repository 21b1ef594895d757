// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult IotaOp::verify() {
  if (getType().getRank() != 1) {
    return emitOpError("expected a tile of rank 1, got ") << getType();
  }
  unsigned width = getType().getElementType().getIntOrFloatBitWidth();
  if (width < 32 && getType().getNumElements() > (int64_t(1) << width)) {
    return emitOpError("expected at most ") << (int64_t(1) << width) << " elements of " << getType().getElementType()
                                            << ", got " << getType().getNumElements();
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  TileType from = getSource().getType(), to = getType();
  if (from.getRank() != to.getRank()) {
    return emitOpError("expected tiles of one rank, got ") << from << " and " << to << "; reshape first";
  }
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(from.getShape(), to.getShape()))) {
    auto [source, result] = sizes;
    if (source != 1 && source != result) {
      return emitOpError("expected extent 1 or ") << result << " in dimension " << dim << ", got " << source;
    }
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  int64_t from = getSource().getType().getNumElements(), to = getType().getNumElements();
  if (from != to) {
    return emitOpError("expected as many elements as in the source, ") << from << ", got " << to;
  }
  return success();
}

LogicalResult SelectOp::verify() {
  Type element = getType().getElementType();
  if (isa<Float4E2M1FNType>(element)) {
    return emitOpError("cannot select elements of ") << element << "; convert them to a wider float first";
  }
  return success();
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = getSource().getType().getShape();
  if (from.size() < 2) {
    return emitOpError("expected a source of rank 2 or more, got ") << getSource().getType();
  }
  SmallVector<int32_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, from.size()))) {
    return emitOpError("expected a permutation of the ")
           << from.size() << " dimensions, got [" << getPermutation() << "]";
  }
  auto shape = llvm::map_to_vector(getPermutation(), [&](int32_t dim) { return from[dim]; });
  if (getType().getShape() != ArrayRef(shape)) {
    return emitOpError("expected the result to be ")
           << TileType::get(shape, getType().getElementType()) << ", got " << getType();
  }
  return success();
}

LogicalResult CatOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType();
  int64_t dim = getDim();
  if (lhs.getRank() != rhs.getRank() || dim < 0 || dim >= lhs.getRank()) {
    return emitOpError("expected a dimension of tiles of one rank, got dimension ")
           << dim << " of " << lhs << " and " << rhs;
  }
  SmallVector<int64_t> shape(lhs.getShape());
  shape[dim] += rhs.getShape()[dim];
  for (int64_t i = 0; i < lhs.getRank(); ++i) {
    if (i != dim && lhs.getShape()[i] != rhs.getShape()[i]) {
      return emitOpError("expected equal extents outside of dimension ") << dim << ", got " << lhs << " and " << rhs;
    }
  }
  if (getType().getShape() != ArrayRef(shape)) {
    return emitOpError("expected the result to have ")
           << shape[dim] << " elements along dimension " << dim << ", got " << getType();
  }
  return success();
}

/// `part` divides `whole`, and there is an index per dimension.
static LogicalResult verifySubTile(Operation *op, TileType part, TileType whole, size_t numIndices) {
  if (part.getElementType() != whole.getElementType() || part.getRank() != whole.getRank()) {
    return op->emitOpError("expected a sub-tile of the rank and elements of ") << whole << ", got " << part;
  }
  for (auto [small, large] : llvm::zip_equal(part.getShape(), whole.getShape())) {
    if (large % small) {
      return op->emitOpError("expected a sub-tile that divides ") << whole << ", got " << part;
    }
  }
  if (static_cast<int64_t>(numIndices) != whole.getRank()) {
    return op->emitOpError("expected an index per dimension, ") << whole.getRank() << ", got " << numIndices;
  }
  return success();
}

LogicalResult ExtractOp::verify() {
  return verifySubTile(*this, getType(), getSource().getType(), getIndices().size());
}
LogicalResult InsertOp::verify() {
  return verifySubTile(*this, getSource().getType(), getType(), getIndices().size());
}

static LogicalResult verifyPredicate(AssumeOp op, BoundedAttr bounded) {
  auto tile = dyn_cast<TileType>(op.getType());
  if (!tile || !isAnyIntTile(tile)) {
    return op.emitOpError("expected bounds of a tile of integers, got ") << op.getType();
  }
  unsigned width = tile.getElementType().getIntOrFloatBitWidth();
  for (std::optional<int64_t> bound : {bounded.getLb(), bounded.getUb()}) {
    if (bound && !llvm::isIntN(width, *bound)) {
      return op.emitOpError("expected bounds that fit ") << tile.getElementType() << ", got " << *bound;
    }
  }
  return success();
}

static LogicalResult verifyPredicate(AssumeOp op, SameElementsAttr same) {
  auto tile = dyn_cast<TileType>(op.getType());
  if (!tile || !(isAnyIntTile(tile) || isPtrTile(tile))) {
    return op.emitOpError("expected same_elements of integers or pointers, got ") << op.getType();
  }
  ArrayRef<int64_t> sizes = same.getValues();
  if (static_cast<int64_t>(sizes.size()) != tile.getRank()) {
    return op.emitOpError("expected a group size per dimension of the tile, got ") << sizes.size() << " for " << tile;
  }
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size > tile.getDimSize(dim)) {
      return op.emitOpError("expected groups of at most ")
             << tile.getDimSize(dim) << " elements in dimension " << dim << ", got " << size;
    }
  }
  return success();
}

static LogicalResult verifyPredicate(AssumeOp op, DivByAttr divBy) {
  auto tile = dyn_cast<TileType>(op.getType());
  if (!isa<TensorViewType>(op.getType()) && !(tile && (isAnyIntTile(tile) || isPtrTile(tile)))) {
    return op.emitOpError("expected div_by of integers, pointers or a tensor view, got ") << op.getType();
  }
  if (!divBy.getEvery()) {
    return success();
  }
  if (!tile || *divBy.getAlong() >= tile.getRank()) {
    return op.emitOpError("expected 'along' to be a dimension of the tile, got ")
           << *divBy.getAlong() << " for " << op.getType();
  }
  int64_t extent = tile.getDimSize(*divBy.getAlong());
  if (*divBy.getEvery() > extent) {
    return op.emitOpError("expected 'every' to be at most the extent along dimension ")
           << *divBy.getAlong() << ", " << extent << ", got " << *divBy.getEvery();
  }
  return success();
}

LogicalResult AssumeOp::verify() {
  return llvm::TypeSwitch<Attribute, LogicalResult>(getPredicate())
      .Case<BoundedAttr, SameElementsAttr, DivByAttr>(
          [&](auto predicate) { return verifyPredicate(*this, predicate); });
}
