// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens, launch order, print and assert.
#include "abi/Print.h"
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

/// The value to print for an element: an f32 for a float that is stored as another type, its number for half a byte.
static Value asPrinted(Emitter &emit, Value value, Type format, bool isUnsigned) {
  if (format.isInteger(4) && !isUnsigned) {
    Value half = emit.constant(value.getType(), 4);
    return emit.create<arith::ShRSIOp>(emit.create<arith::ShLIOp>(value, half), half);
  }
  if (!isa<FloatType>(format) || aa::storageOf(format) == format)
    return value;
  return convertFormat(emit, value, format, emit.rewriter.getF32Type());
}

static LogicalResult lowerPrint(ct::PrintTkoOp op, ct::PrintTkoOp::Adaptor operands, Emitter &emit) {
  SmallVector<bool> isUnsigned = unsignedConversions(op.getStr());
  DenseBoolArrayAttr unsignedArgs;
  if (llvm::is_contained(isUnsigned, true)) {
    isUnsigned.resize(operands.getArgs().size());
    unsignedArgs = emit.rewriter.getDenseBoolArrayAttr(isUnsigned);
  }
  SmallVector<Value> values;
  for (auto [i, source] : llvm::enumerate(op.getArgs()))
    values.push_back(asPrinted(emit, operands.getArgs()[i], getElementTypeOrSelf(source.getType()),
                               i < isUnsigned.size() && isUnsigned[i]));
  return emit.replace(emit.create<aa::PrintOp>(aa::TokenType::get(op.getContext()), op.getStrAttr(), values,
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
  // The functions of libraries are compiled for a GPU.
  lowerings.add<ct::PreviewCallOp>([](ct::PreviewCallOp op, ct::PreviewCallOp::Adaptor, Emitter &emit) {
    return emit.refuse(" of the foreign function '" + op.getCallee() + "'");
  });
  lowerings.add<ct::AssertOp>([](ct::AssertOp op, ct::AssertOp::Adaptor operands, Emitter &emit) {
    emit.create<aa::AssertOp>(operands.getCondition(), op.getMessageAttr());
    return emit.replace(ValueRange());
  });
}
