// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_WIDENSUMSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// The operation that is all of the function, if it is a sum or a product that is rounded to nearest.
template <typename Fold> Operation *roundedStep(Fold fold) {
  Block &body = fold.getBody().front();
  Operation &step = body.front();
  bool isAll = isa<arith::AddFOp, arith::MulFOp>(step) && step.getNextNode() == body.getTerminator() &&
               step.getOperand(0) != step.getOperand(1) && body.getTerminator()->getOperand(0) == step.getResult(0) &&
               llvm::all_of(step.getOperands(), llvm::IsaPred<BlockArgument>);
  return isAll ? &step : nullptr;
}

Type withElement(Type type, Type element) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? Type(tile.clone(element)) : element;
}

template <typename Fold, typename... Flags> void widen(Fold fold, Flags... flags) {
  Operation *step = roundedStep(fold);
  FloatAttr identity;
  if (!step || step->getResult(0).getType().getIntOrFloatBitWidth() >= 32 ||
      !matchPattern(fold.getIdentities()[0], m_Constant(&identity)))
    return;
  OpBuilder builder(fold);
  Location loc = fold.getLoc();
  Type f32 = builder.getF32Type();
  Value source = fold.getSources()[0];
  Value wide = arith::ExtFOp::create(builder, loc, withElement(source.getType(), f32), source);
  Value start = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(identity.getValue().convertToFloat()));
  auto again = Fold::create(builder, loc, TypeRange(withElement(fold.getResult(0).getType(), f32)), ValueRange(wide),
                            ValueRange(start), fold.getDim(), flags...);
  again->setDiscardableAttrs(fold->getDiscardableAttrDictionary());
  again.getBody().takeBody(fold.getBody());
  for (BlockArgument argument : again.getBody().getArguments())
    argument.setType(f32);
  step->getResult(0).setType(f32);
  Value narrow = arith::TruncFOp::create(builder, loc, fold.getResult(0).getType(), again.getResult(0));
  fold.getResult(0).replaceAllUsesWith(narrow);
  fold.erase();
}

class WidenSums : public tilewright::impl::WidenSumsPassBase<WidenSums> {
public:
  using WidenSumsPassBase::WidenSumsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto scan = dyn_cast<tileaa::ScanOp>(op))
        widen(scan, scan.getReverse(), scan.getKind());
      else if (auto reduce = dyn_cast<tileaa::ReduceOp>(op); reduce && !scansOnly)
        widen(reduce);
    });
  }
};

} // namespace
