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

static LogicalResult lowerTensorShape(ct::GetTensorShapeOp op, ct::GetTensorShapeOp::Adaptor operands, Emitter &emit) {
  SmallVector<Value> results;
  for (auto [dim, type] : llvm::enumerate(op->getResultTypes()))
    results.push_back(fromIndex(emit, makeExtent(emit, operands.getSrc(), dim), emit.convert(type)));
  return emit.replace(results);
}

static LogicalResult lowerIndexSpaceShape(ct::GetIndexSpaceShapeOp op, ct::GetIndexSpaceShapeOp::Adaptor operands,
                                          Emitter &emit) {
  TileGrid grid(op.getSrc().getType());
  SmallVector<Value> results;
  for (auto [step, dim, type] : llvm::zip_equal(grid.steps, grid.dimMap, op->getResultTypes())) {
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
