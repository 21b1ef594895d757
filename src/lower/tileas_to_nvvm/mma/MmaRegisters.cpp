// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/mma/MmaRegisters.h"

using namespace mlir;
using namespace tilewright;

Type tilewright::elementOf(Value operand) {
  if (auto buffer = dyn_cast<tileas::BufferType>(operand.getType()))
    return buffer.getElementType();
  return getElementTypeOrSelf(operand.getType());
}

int64_t tilewright::depthOf(tileas::MmaOp mma) {
  if (auto buffer = dyn_cast<tileas::BufferType>(mma.getLhs().getType()))
    return buffer.getShape().back();
  return cast<RankedTensorType>(mma.getLhs().getType()).getShape().back();
}
