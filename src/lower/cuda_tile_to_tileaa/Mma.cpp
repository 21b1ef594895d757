// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult lowerMmaF(ct::MmaFOp op, ct::MmaFOp::Adaptor operands, Emitter &emit) {
  Type element = getElementTypeOrSelf(operands.getLhs().getType());
  if (element.getIntOrFloatBitWidth() < 16) {
    std::string name;
    llvm::raw_string_ostream(name) << " of " << element;
    return emit.refuse(name);
  }
  return emit.replace(
      emit.create<aa::MmaOp>(emit.resultType(), operands.getLhs(), operands.getRhs(), operands.getAcc(), false, false)
          .getResult());
}

static LogicalResult lowerMmaI(ct::MmaIOp op, ct::MmaIOp::Adaptor operands, Emitter &emit) {
  return emit.replace(emit.create<aa::MmaOp>(emit.resultType(), operands.getLhs(), operands.getRhs(), operands.getAcc(),
                                             op.getSignednessLhs() == ct::Signedness::Unsigned,
                                             op.getSignednessRhs() == ct::Signedness::Unsigned)
                          .getResult());
}

void tilewright::populateMma(Lowerings &lowerings) {
  lowerings.add<ct::MmaFOp>(lowerMmaF);
  lowerings.add<ct::MmaIOp>(lowerMmaI);
}
