// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/legalize/Formats.h"

namespace tilewright {
#define GEN_PASS_DEF_LEGALIZEELEMENTWISEPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class LegalizeElementwise : public tilewright::impl::LegalizeElementwisePassBase<LegalizeElementwise> {
public:
  using LegalizeElementwisePassBase::LegalizeElementwisePassBase;

private:
  bool isNative(tileaa::FloatOp op) const {
    return llvm::is_contained(native, tileaa::stringifyFloatKind(op.getKind()));
  }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      auto replace = [&](const legalize::Expr &result) {
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      };
      if (auto function = dyn_cast<tileaa::FloatOp>(op); function && !isNative(function))
        replace(legalize::legalizeFloat(builder, function));
      else if (auto conversion = dyn_cast<tileaa::ConvertOp>(op))
        replace(legalize::legalizeConvert(builder, conversion));
    });
  }
};

} // namespace
