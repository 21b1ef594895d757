// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Numbers.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_OPTIMIZEDOTACCUMULATIONPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Whether the tile is made, element by element, of one that the loop carries. Another, as a bias, would only be waited
// for before the product in place of behind it.
bool isOfCarried(Value tile, LoopLikeOpInterface loop) {
  auto isCarried = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner()->getParentOp() == loop && isa<RankedTensorType>(value.getType());
  };
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return loop->isProperAncestor(op) &&
           (op->hasTrait<OpTrait::Elementwise>() || isa<tileaa::MmaOp, tileaa::MmaScaledOp>(op));
  };
  llvm::SetVector<Operation *> made;
  (void)getBackwardSlice(tile, &made, options);
  return isCarried(tile) ||
         llvm::any_of(made, [&](Operation *op) { return llvm::any_of(op->getOperands(), isCarried); });
}

// The accumulator operand of a product, if another value may take its place.
OpOperand *accOf(Operation *product) {
  if (auto mma = dyn_cast_or_null<tileaa::MmaOp>(product))
    return mma.getFastAcc() ? nullptr : &mma.getAccMutable();
  if (auto scaled = dyn_cast_or_null<tileaa::MmaScaledOp>(product))
    return &scaled.getAccMutable();
  return nullptr;
}

class OptimizeDotAccumulation : public tilewright::impl::OptimizeDotAccumulationPassBase<OptimizeDotAccumulation> {
  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::AddIOp>(op) && op->getParentOfType<LoopLikeOpInterface>())
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      rewrite(sum);
  }

  static void rewrite(Operation *sum) {
    auto loop = sum->getParentOfType<LoopLikeOpInterface>();
    for (unsigned number : {0, 1}) {
      Operation *product = sum->getOperand(number).getDefiningOp();
      Value other = sum->getOperand(1 - number);
      OpOperand *acc = accOf(product);
      if (!acc || !tileaa::isZero(acc->get()) || !product->hasOneUse() || product->getBlock() != sum->getBlock() ||
          !isOfCarried(other, loop))
        continue;
      // The addend may be defined after the product.
      product->moveBefore(sum);
      acc->set(other);
      sum->replaceAllUsesWith(product);
      sum->erase();
      return;
    }
  }
};

} // namespace
