// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans: the body moves over and works on scalars.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

/// Identities as constants of the elements' types.
static SmallVector<Value> makeIdentities(Emitter &emit, ArrayAttr identities) {
  SmallVector<Value> values;
  for (auto number : identities.getAsRange<TypedAttr>()) {
    TypedAttr stored = aa::store(number, number.getType());
    values.push_back(emit.constant(stored.getType(), stored));
  }
  return values;
}

template <typename Op, typename Twin, typename... Flags>
static LogicalResult lowerFold(Op op, typename Op::Adaptor operands, Emitter &emit, Flags... flags) {
  SmallVector<Type> types;
  if (failed(emit.typeConverter().convertTypes(op->getResultTypes(), types)))
    return failure();
  SmallVector<Value> identities = makeIdentities(emit, op.getIdentities());
  auto twin = emit.create<Twin>(TypeRange(types), operands.getOperands(), identities, static_cast<int64_t>(op.getDim()),
                                flags...);
  emit.rewriter.inlineRegionBefore(op.getBody(), twin.getBody(), twin.getBody().end());
  if (failed(emit.rewriter.convertRegionTypes(&twin.getBody(), emit.typeConverter())))
    return failure();
  return emit.replace(twin->getResults());
}

void tilewright::populateReduce(Lowerings &lowerings) {
  lowerings.add<ct::ReduceOp>([](ct::ReduceOp op, ct::ReduceOp::Adaptor operands, Emitter &emit) {
    return lowerFold<ct::ReduceOp, aa::ReduceOp>(op, operands, emit);
  });
  lowerings.add<ct::ScanOp>([](ct::ScanOp op, ct::ScanOp::Adaptor operands, Emitter &emit) {
    return lowerFold<ct::ScanOp, aa::ScanOp>(op, operands, emit, op.getReverse());
  });
  // Every other yield belonged to an `if` and is gone.
  lowerings.add<ct::YieldOp>([](ct::YieldOp, ct::YieldOp::Adaptor operands, Emitter &emit) {
    emit.create<aa::YieldOp>(operands.getOperands());
    return emit.replace(ValueRange());
  });
}
