// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

static Type getFormat(Type tile) {
  return cast<ct::TileType>(tile).getElementType();
}

static LogicalResult lowerMmaF(ct::MmaFOp op, ct::MmaFOp::Adaptor operands, Emitter &emit) {
  Type format = getFormat(op.getLhs().getType());
  bool isStored = aa::storageOf(format) != format;
  return emit.replace(emit.create<aa::MmaOp>(emit.resultType(), operands.getLhs(), operands.getRhs(), operands.getAcc(),
                                             false, false, isStored ? TypeAttr::get(format) : TypeAttr(),
                                             op.getFastAcc())
                          .getResult());
}

static LogicalResult lowerMmaFScaled(ct::MmaFScaledOp op, ct::MmaFScaledOp::Adaptor operands, Emitter &emit) {
  return emit.replace(emit.create<aa::MmaScaledOp>(emit.resultType(), operands.getLhs(), operands.getRhs(),
                                                   operands.getAcc(), operands.getLhsScale(), operands.getRhsScale(),
                                                   getFormat(op.getLhs().getType()),
                                                   getFormat(op.getLhsScale().getType()))
                          .getResult());
}

static LogicalResult lowerMmaI(ct::MmaIOp op, ct::MmaIOp::Adaptor operands, Emitter &emit) {
  return emit.replace(emit.create<aa::MmaOp>(emit.resultType(), operands.getLhs(), operands.getRhs(), operands.getAcc(),
                                             op.getSignednessLhs() == ct::Signedness::Unsigned,
                                             op.getSignednessRhs() == ct::Signedness::Unsigned, TypeAttr())
                          .getResult());
}

void tilewright::populateMma(Lowerings &lowerings) {
  lowerings.add<ct::MmaFOp>(lowerMmaF);
  lowerings.add<ct::MmaFScaledOp>(lowerMmaFScaled);
  lowerings.add<ct::MmaIOp>(lowerMmaI);
}
