// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tiles of a view lie: a box of its tensor, or the address of each element.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

int64_t tilewright::getByteSize(Type element) {
  return std::max<int64_t>(1, ct::getElementBitWidth(element) / 8);
}

Value tilewright::makeExtent(Emitter &emit, Value view, int64_t dim) {
  return emit.make<aa::ViewDimOp>(view, dim);
}

TileGrid::TileGrid(Type viewType) {
  if (auto partition = dyn_cast<ct::PartitionViewType>(viewType)) {
    llvm::append_range(steps, partition.getTileShape());
    llvm::append_range(dimMap, partition.getDimMap());
  } else if (auto strided = dyn_cast<ct::StridedViewType>(viewType)) {
    llvm::append_range(steps, strided.getTraversalStrides());
    llvm::append_range(dimMap, strided.getDimMap());
  } else {
    // An index of a gather/scatter view counts elements.
    steps.resize(cast<ct::GatherScatterViewType>(viewType).getTileShape().size(), 1);
    dimMap = llvm::to_vector(llvm::seq<int64_t>(0, steps.size()));
  }
}

Box tilewright::makeBox(Emitter &emit, Type viewType, ValueRange indices, ArrayRef<bool> inbounds) {
  TileGrid grid(viewType);
  Box box;
  box.dimMap = grid.dimMap;
  box.offsets.resize(grid.steps.size());
  SmallVector<bool> promised(grid.steps.size(), false);
  for (auto [i, index] : llvm::enumerate(indices)) {
    box.offsets[box.dimMap[i]] = emit.make<arith::MulIOp>(emit.toIndex(index), emit.index(grid.steps[i]));
    promised[box.dimMap[i]] = i < inbounds.size() && inbounds[i];
  }
  if (llvm::is_contained(promised, true))
    box.inbounds = emit.rewriter.getDenseBoolArrayAttr(promised);
  return box;
}

namespace {
/// The sum of distances and the conjunction of bounds, dimension by dimension.
class ElementsBuilder {
public:
  ElementsBuilder(Emitter &emit, ct::TileView viewType, Value view)
      : emit(emit), grid(viewType), view(view), shape(viewType.getTileShape().begin(), viewType.getTileShape().end()),
        bytes(getByteSize(viewType.getTensorView().getElementType())),
        isPacked(ct::getElementBitWidth(viewType.getTensorView().getElementType()) == 4) {
    // Of halves of bytes the distance is known first: two of them are a byte.
    result.addresses = isPacked ? emit.constant(i64(), 0) : emit.make<aa::ViewBaseOp>(view);
    if (!shape.empty())
      result.addresses = emit.splat(result.addresses, getTile());
  }

  Elements finish() {
    if (!isPacked)
      return result;
    Value one = emit.constant(getTile(), 1), distance = result.addresses;
    Value isOdd = emit.create<arith::AndIOp>(distance, one);
    result.isUpperHalf = emit.create<arith::CmpIOp>(arith::CmpIPredicate::eq, isOdd, one);
    result.addresses = emit.create<arith::AddIOp>(emit.splat(emit.make<aa::ViewBaseOp>(view), getTile()),
                                                  emit.create<arith::ShRSIOp>(distance, one));
    return result;
  }

  /// An index of rank 1 has the coordinates themselves, another one says where they begin.
  void add(size_t dim, Value index, bool isInbounds) {
    auto row = RankedTensorType::get({shape[dim]}, i64());
    Value coordinates = widen(index);
    if (!isa<RankedTensorType>(coordinates.getType())) {
      coordinates = emit.make<arith::MulIOp>(coordinates, emit.constant(i64(), grid.steps[dim]));
      coordinates = emit.create<arith::AddIOp>(emit.splat(coordinates, row), emit.create<aa::IotaOp>(row));
    }
    if (!isInbounds) {
      // Unsigned, so that a negative coordinate is outside too.
      Value extent = emit.splat(fromIndex(makeExtent(emit, view, grid.dimMap[dim])), row);
      Value isInside = emit.create<arith::CmpIOp>(arith::CmpIPredicate::ult, coordinates, extent);
      Value flags = spread(isInside, dim);
      result.mask = result.mask ? emit.create<arith::AndIOp>(result.mask, flags) : flags;
    }
    Value stride = fromIndex(emit.make<aa::ViewStrideOp>(view, grid.dimMap[dim]));
    Value distance = emit.make<arith::MulIOp>(stride, emit.constant(i64(), bytes));
    Value distances = emit.create<arith::MulIOp>(coordinates, emit.splat(distance, row));
    result.addresses = emit.create<arith::AddIOp>(result.addresses, spread(distances, dim));
  }

private:
  RankedTensorType getTile() { return RankedTensorType::get(shape, i64()); }
  Type i64() { return emit.rewriter.getI64Type(); }
  Value fromIndex(Value value) { return emit.make<arith::IndexCastOp>(i64(), value); }
  Value widen(Value value) {
    Type wide = withElementType(value.getType(), i64());
    return value.getType() == wide ? value : emit.make<arith::ExtSIOp>(wide, value);
  }

  /// A row of coordinates or flags along one dimension, repeated along the others.
  Value spread(Value row, size_t dim) {
    Type element = getElementTypeOrSelf(row.getType());
    SmallVector<int64_t> line(shape.size(), 1);
    line[dim] = shape[dim];
    Value reshaped = emit.make<aa::ReshapeOp>(RankedTensorType::get(line, element), row);
    return emit.make<aa::BroadcastOp>(RankedTensorType::get(shape, element), reshaped);
  }

  Emitter &emit;
  TileGrid grid;
  Value view;
  SmallVector<int64_t> shape;
  int64_t bytes;
  bool isPacked;
  Elements result;
};
} // namespace

Elements tilewright::makeElements(Emitter &emit, ct::TileView viewType, Value view, ValueRange indices,
                                  ArrayRef<bool> inbounds) {
  ElementsBuilder builder(emit, viewType, view);
  for (auto [dim, index] : llvm::enumerate(indices))
    builder.add(dim, index, dim < inbounds.size() && inbounds[dim]);
  return builder.finish();
}
