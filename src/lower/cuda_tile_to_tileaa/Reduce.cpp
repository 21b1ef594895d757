// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans: the body moves over and works on scalars.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

/// The number that changes no other, where the function is one operation on floats: a fold begins with its first
/// element, and what the module gives is no identity of every number. -inf hides a row of NaN from a maximum that
/// ignores them, and +0 one of -0 from a sum.
static std::optional<aa::Padding> neutralOf(Block &body) {
  Operation &op = body.front();
  if (op.getNumResults() != 1 || op.getNumOperands() != 2 || op.getNextNode() != body.getTerminator() ||
      body.getTerminator()->getOperand(0) != op.getResult(0) || op.getOperand(0) == op.getOperand(1) ||
      !llvm::all_of(op.getOperands(), llvm::IsaPred<BlockArgument>))
    return {};
  using aa::Padding;
  return llvm::TypeSwitch<Operation *, std::optional<Padding>>(&op)
      .Case([](ct::MaxFOp max) { return max.getPropagateNan() ? Padding::NegInf : Padding::Nan; })
      .Case([](ct::MinFOp min) { return min.getPropagateNan() ? Padding::PosInf : Padding::Nan; })
      .Case([](ct::AddFOp add) {
        return add.getRoundingMode() == ct::RoundingMode::NegativeInf ? Padding::Zero : Padding::NegZero;
      })
      .Default(std::nullopt);
}

/// Identities as constants of the elements' types.
static SmallVector<Value> makeIdentities(Emitter &emit, ArrayAttr identities, std::optional<aa::Padding> neutral) {
  SmallVector<Value> values;
  for (auto number : identities.getAsRange<TypedAttr>()) {
    TypedAttr stored = neutral ? aa::paddingOf(*neutral, number.getType()) : aa::store(number, number.getType());
    values.push_back(emit.constant(stored.getType(), stored));
  }
  return values;
}

template <typename Op, typename Twin, typename... Flags>
static LogicalResult lowerFold(Op op, typename Op::Adaptor operands, Emitter &emit, Flags... flags) {
  SmallVector<Type> types;
  if (failed(emit.typeConverter().convertTypes(op->getResultTypes(), types)))
    return failure();
  SmallVector<Value> identities = makeIdentities(emit, op.getIdentities(), neutralOf(op.getBody().front()));
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
