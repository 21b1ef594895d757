// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid, views of memory, and questions about their extents.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult lowerMakeView(ct::MakeTensorViewOp, ct::MakeTensorViewOp::Adaptor operands, Emitter &emit) {
  SmallVector<Value> shape, strides;
  for (Value extent : operands.getDynamicShape())
    shape.push_back(emit.toIndex(extent));
  for (Value stride : operands.getDynamicStrides())
    strides.push_back(emit.toIndex(stride));
  return emit.replace(emit.create<aa::MakeViewOp>(emit.resultType(), operands.getBase(), shape, strides).getResult());
}

/// A scalar of the type that a query gives.
static Value fromIndex(Emitter &emit, Value value, Type type) {
  return emit.make<arith::IndexCastOp>(type, value);
}

static Value makeExtent(Emitter &emit, Value view, int64_t dim) {
  auto type = cast<aa::ViewType>(view.getType());
  if (!ShapedType::isDynamic(type.getShape()[dim]))
    return emit.index(type.getShape()[dim]);
  return emit.create<aa::ViewDimOp>(view, dim);
}

static LogicalResult lowerTensorShape(ct::GetTensorShapeOp op, ct::GetTensorShapeOp::Adaptor operands, Emitter &emit) {
  SmallVector<Value> results;
  for (auto [dim, type] : llvm::enumerate(op->getResultTypes()))
    results.push_back(fromIndex(emit, makeExtent(emit, operands.getSrc(), dim), emit.convert(type)));
  return emit.replace(results);
}

/// The distance of two neighbouring tiles per dimension of the tile, and the dimension of the tensor it runs along.
static bool getGrid(Type type, SmallVectorImpl<int64_t> &steps, SmallVectorImpl<int64_t> &dims) {
  if (auto partition = dyn_cast<ct::PartitionViewType>(type)) {
    llvm::append_range(steps, partition.getTileShape());
    llvm::append_range(dims, partition.getDimMap());
    return true;
  }
  if (auto strided = dyn_cast<ct::StridedViewType>(type)) {
    llvm::append_range(steps, strided.getTraversalStrides());
    llvm::append_range(dims, strided.getDimMap());
    return true;
  }
  return false;
}

static LogicalResult lowerIndexSpaceShape(ct::GetIndexSpaceShapeOp op, ct::GetIndexSpaceShapeOp::Adaptor operands,
                                          Emitter &emit) {
  SmallVector<int64_t> steps, dims;
  if (!getGrid(op.getSrc().getType(), steps, dims))
    return emit.refuse(" of a gather/scatter view");
  SmallVector<Value> results;
  for (auto [step, dim, type] : llvm::zip_equal(steps, dims, op->getResultTypes())) {
    Value extent = makeExtent(emit, operands.getSrc(), dim);
    Value count = emit.make<arith::CeilDivSIOp>(extent, emit.index(step));
    results.push_back(fromIndex(emit, count, emit.convert(type)));
  }
  return emit.replace(results);
}

void tilewright::populateView(Lowerings &lowerings) {
  lowerings.add<ct::GetTileBlockIdOp>([](ct::GetTileBlockIdOp, ct::GetTileBlockIdOp::Adaptor, Emitter &emit) {
    return emit.replace(emit.create<aa::BlockIdOp>()->getResults());
  });
  lowerings.add<ct::GetNumTileBlocksOp>([](ct::GetNumTileBlocksOp, ct::GetNumTileBlocksOp::Adaptor, Emitter &emit) {
    return emit.replace(emit.create<aa::NumBlocksOp>()->getResults());
  });
  lowerings.add<ct::MakeTensorViewOp>(lowerMakeView);
  lowerings.addIdentity<ct::MakePartitionViewOp>();
  lowerings.addIdentity<ct::MakeStridedViewOp>();
  lowerings.addIdentity<ct::MakeGatherScatterViewOp>();
  lowerings.add<ct::GetTensorShapeOp>(lowerTensorShape);
  lowerings.add<ct::GetIndexSpaceShapeOp>(lowerIndexSpaceShape);
}
