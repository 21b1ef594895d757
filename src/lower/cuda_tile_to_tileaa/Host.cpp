// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens, launch order, print and assert.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "runtime/Print.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult lowerPrint(ct::PrintTkoOp op, ct::PrintTkoOp::Adaptor operands, Emitter &emit) {
  SmallVector<bool> isUnsigned = unsignedConversions(op.getStr());
  DenseBoolArrayAttr unsignedArgs;
  if (llvm::is_contained(isUnsigned, true)) {
    isUnsigned.resize(operands.getArgs().size());
    unsignedArgs = emit.rewriter.getDenseBoolArrayAttr(isUnsigned);
  }
  return emit.replace(emit.create<aa::PrintOp>(aa::TokenType::get(op.getContext()), op.getStrAttr(), operands.getArgs(),
                                               operands.getToken(), unsignedArgs)
                          ->getResults());
}

/// Waiting for the grid before, or letting the next one start: a target that runs them one after the other need not.
template <typename Op> static void addGridDependency(Lowerings &lowerings) {
  lowerings.add<Op>([](Op, typename Op::Adaptor operands, Emitter &emit) {
    if (Value token = operands.getToken())
      return emit.replace(token);
    return emit.replace(emit.create<aa::MakeTokenOp>()->getResults());
  });
}

void tilewright::populateHost(Lowerings &lowerings) {
  lowerings.addTwin<ct::MakeTokenOp, aa::MakeTokenOp>();
  lowerings.addTwin<ct::JoinTokensOp, aa::JoinTokensOp>();
  addGridDependency<ct::GdcLaunchDependentsTkoOp>(lowerings);
  addGridDependency<ct::GdcWaitTkoOp>(lowerings);
  lowerings.add<ct::PrintTkoOp>(lowerPrint);
  lowerings.add<ct::AssertOp>([](ct::AssertOp op, ct::AssertOp::Adaptor operands, Emitter &emit) {
    emit.create<aa::AssertOp>(operands.getCondition(), op.getMessageAttr());
    return emit.replace(ValueRange());
  });
}
