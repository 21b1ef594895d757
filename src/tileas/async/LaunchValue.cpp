// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/LaunchValue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;

std::optional<tilewright::tileas::LaunchValue> tilewright::tileas::launchValueOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return LaunchValue{std::nullopt, constant.getSExtValue()};
    if (!isa<tileaa::AssumeDivByOp, arith::IndexCastOp, arith::ExtSIOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  if (!isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return LaunchValue{argument.getArgNumber(), 0};
}
