// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/legalize/Formats.h"

namespace tilewright {
#define GEN_PASS_DEF_LEGALIZEELEMENTWISEPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

void legalize::legalizeElementwise(Operation *root, function_ref<bool(Operation *)> isNative) {
  root->walk([&](Operation *op) {
    if (!isa<tileaa::FloatOp, tileaa::ConvertOp>(op) || isNative(op))
      return;
    OpBuilder builder(op);
    auto function = dyn_cast<tileaa::FloatOp>(op);
    op->getResult(0).replaceAllUsesWith(function ? legalizeFloat(builder, function)
                                                 : legalizeConvert(builder, cast<tileaa::ConvertOp>(op)));
    op->erase();
  });
}

namespace {

class LegalizeElementwise : public tilewright::impl::LegalizeElementwisePassBase<LegalizeElementwise> {
public:
  using LegalizeElementwisePassBase::LegalizeElementwisePassBase;

private:
  void runOnOperation() override {
    legalize::legalizeElementwise(getOperation(), [&](Operation *op) {
      auto function = dyn_cast<tileaa::FloatOp>(op);
      return function && llvm::is_contained(native, tileaa::stringifyFloatKind(function.getKind()));
    });
  }
};

} // namespace
