// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/TileSlice.h"

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

RankedTensorType TileSlice::typeIn(RankedTensorType tile) const {
  SmallVector<int64_t> shape(tile.getShape());
  shape[dim] = size;
  return tile.clone(shape);
}

Value TileSlice::offset(OpBuilder &builder, Location loc, Value number) const {
  return arith::MulIOp::create(builder, loc, number, arith::ConstantIndexOp::create(builder, loc, size));
}

Value TileSlice::offsetFrom(Value start, OpBuilder &builder, Location loc, Value number) const {
  return arith::AddIOp::create(builder, loc, start, offset(builder, loc, number));
}

int64_t tileaa::outermostDim(ArrayRef<int64_t> shape) {
  return std::distance(shape.begin(), llvm::find_if(shape, [](int64_t extent) { return extent != 1; }));
}

//===-- operands ----------------------------------------------------------===//

// The elements of a slice under another shape, if they are a slice there too.
static std::optional<TileSlice> reshaped(ArrayRef<int64_t> from, TileSlice slice, ArrayRef<int64_t> to) {
  // A slice of the outermost dimension is one run of elements.
  if (slice.dim == outermostDim(from)) {
    int64_t elements = slice.size * llvm::product_of(from.drop_front(slice.dim + 1)), dim = outermostDim(to);
    int64_t inner = llvm::product_of(to.drop_front(dim + 1));
    if (elements % inner != 0)
      return std::nullopt;
    return TileSlice{dim, elements / inner};
  }
  // Otherwise the dimension has to be there, with as many elements before it.
  int64_t before = llvm::product_of(from.take_front(slice.dim));
  for (int64_t dim = 0; dim != static_cast<int64_t>(to.size()); ++dim)
    if (to[dim] == from[slice.dim] && llvm::product_of(to.take_front(dim)) == before)
      return TileSlice{dim, slice.size};
  return std::nullopt;
}

// All tiles among the operands, by the same slice.
static SlicedOperands alike(MutableOperandRange operands, TileSlice slice) {
  SlicedOperands sliced;
  for (OpOperand &operand : operands)
    if (isa<RankedTensorType>(operand.get().getType()))
      sliced.push_back({&operand, slice});
  return sliced;
}

static std::optional<SlicedOperands> operandsOf(tileaa::LoadPtrOp load, TileSlice slice) {
  if (load.getOrdering())
    return std::nullopt;
  SlicedOperands operands = alike(load.getAddressesMutable(), slice);
  llvm::append_range(operands, alike(load.getMaskMutable(), slice));
  llvm::append_range(operands, alike(load.getPaddingMutable(), slice));
  return operands;
}

static std::optional<SlicedOperands> operandsOf(tileaa::BroadcastOp broadcast, TileSlice slice) {
  auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
  if (!source || source.getDimSize(slice.dim) == 1)
    return SlicedOperands();
  return SlicedOperands{{&broadcast.getSourceMutable(), slice}};
}

static std::optional<SlicedOperands> operandsOf(tileaa::ReshapeOp reshape, TileSlice slice) {
  auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
  if (!source)
    return std::nullopt;
  auto inner = reshaped(cast<RankedTensorType>(reshape.getType()).getShape(), slice, source.getShape());
  return inner ? std::optional(SlicedOperands{{&reshape.getSourceMutable(), *inner}}) : std::nullopt;
}

// Tiles that have all of the sliced dimension.
static std::optional<SlicedOperands> alikeAcross(Operation *op, TileSlice slice) {
  int64_t extent = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(slice.dim);
  SlicedOperands operands = alike(MutableOperandRange(op), slice);
  bool isWhole = llvm::all_of(operands, [&](const auto &operand) {
    return cast<RankedTensorType>(operand.first->get().getType()).getDimSize(slice.dim) == extent;
  });
  return isWhole ? std::optional(operands) : std::nullopt;
}

std::optional<SlicedOperands> tileaa::slicedOperands(Operation *op, TileSlice slice) {
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat() ? std::optional(SlicedOperands()) : std::nullopt;
  if (isa<IotaOp, LoadViewOp>(op))
    return SlicedOperands();
  if (auto load = dyn_cast<LoadPtrOp>(op))
    return operandsOf(load, slice);
  if (auto permute = dyn_cast<PermuteOp>(op))
    return SlicedOperands{{&permute.getSourceMutable(), {permute.getPermutation()[slice.dim], slice.size}}};
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return operandsOf(broadcast, slice);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return operandsOf(reshape, slice);
  if (isa<CatOp, ExtractOp, InsertOp>(op))
    return alikeAcross(op, slice);
  if (op->hasTrait<OpTrait::Elementwise>() && isPure(op) && op->getNumResults() == 1)
    return alike(MutableOperandRange(op), slice);
  return std::nullopt;
}
