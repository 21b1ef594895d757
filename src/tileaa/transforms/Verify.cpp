// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_VERIFYTILEAAPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

static bool isLegalDialect(Dialect *dialect) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect, tileaa::TileaaDialect>(
      dialect);
}

static bool isLegalType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.hasStaticShape() && tensor.getRank() > 0 && isLegalType(tensor.getElementType()) &&
           !isa<RankedTensorType>(tensor.getElementType());
  return type.isSignlessInteger() || isa<IndexType, FloatType, tileaa::TokenType, tileaa::ViewType>(type);
}

/// Reports an operation that does not belong to the level, or the first value of it that does not.
static LogicalResult verifyOp(Operation *op) {
  if (!isLegalDialect(op->getDialect()) && !isa<func::ReturnOp>(op))
    return op->emitError() << op->getName() << " is illegal on the tileaa level";
  for (Type type : op->getOperandTypes())
    if (!isLegalType(type))
      return op->emitError() << op->getName() << " has an operand of type " << type
                             << ", which is illegal on the tileaa level";
  for (Type type : op->getResultTypes())
    if (!isLegalType(type))
      return op->emitError() << op->getName() << " has a result of type " << type
                             << ", which is illegal on the tileaa level";
  return success();
}

/// Parameters are addresses and numbers; nothing is returned.
static LogicalResult verifySignature(func::FuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!type.isSignlessInteger() && !isa<FloatType>(type))
      return function.emitError() << "parameter " << i << " of kernel @" << function.getSymName() << " is " << type
                                  << ", expected an integer or a float";
  if (function.getNumResults() != 0)
    return function.emitError() << "kernel @" << function.getSymName() << " has results, expected none";
  return success();
}

namespace {

class VerifyTileaa : public tilewright::impl::VerifyTileaaPassBase<VerifyTileaa> {
  void runOnOperation() override {
    bool isLegal = true;
    for (Operation &top : *getOperation().getBody()) {
      if (isa<tileaa::GlobalOp>(top))
        continue;
      auto function = dyn_cast<func::FuncOp>(top);
      if (!function || !tileaa::isKernel(function)) {
        top.emitError() << top.getName() << " is illegal on the tileaa level, expected a func.func with tileaa.kernel";
        isLegal = false;
        continue;
      }
      isLegal &= succeeded(verifySignature(function));
      function.walk([&](Operation *op) {
        if (op != function)
          isLegal &= succeeded(verifyOp(op));
      });
    }
    if (!isLegal)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
