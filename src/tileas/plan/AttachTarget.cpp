// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileas/plan/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASATTACHTARGET
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class AttachTarget : public tilewright::impl::TileasAttachTargetBase<AttachTarget> {
public:
  using TileasAttachTargetBase::TileasAttachTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto architecture = nvidia::parseArchitecture(arch);
    if (!architecture) {
      module.emitError() << llvm::toString(architecture.takeError());
      return signalPassFailure();
    }
    auto target = tileas::TargetAttr::get(&getContext(), (*architecture)->name, abi);
    Attribute known = module->getAttr(tileas::targetAttr);
    if (known && known != target) {
      module.emitError() << "is for " << known << ", and is to be compiled for " << target
                         << ": compile its source anew for another target";
      return signalPassFailure();
    }
    module->setAttr(tileas::targetAttr, target);
  }
};

} // namespace
