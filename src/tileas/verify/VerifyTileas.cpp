// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileas/verify/Passes.h"
#include "tileas/verify/Verifier.h"

namespace tilewright {
#define GEN_PASS_DEF_VERIFYTILEAS
#include "tileas/verify/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class VerifyTileas : public tilewright::impl::VerifyTileasBase<VerifyTileas> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const nvidia::Architecture *architecture = tileas::architectureOf(function);
    if (!architecture)
      return signalPassFailure();
    if (!tileas::ctaOf(function)) {
      function.emitOpError() << "breaks the rule 'threads': has no attribute '" << tileas::ctaAttr
                             << "', expected the warps of its CTA";
      return signalPassFailure();
    }
    tileas::Verifier verifier(function, *architecture);
    // Layouts first: the other rules compute with them.
    tileas::checkOperations(verifier);
    if (!verifier.isBroken()) {
      tileas::checkThreadElements(verifier);
      tileas::checkProducts(verifier);
      tileas::checkResources(verifier);
      tileas::checkGlobalOrder(verifier);
      bool havePlaces = tileas::checkSharedMemory(verifier), haveSides = tileas::checkPipelines(verifier);
      if (haveSides) {
        tileas::checkPipelineStates(verifier);
        tileas::checkClusters(verifier);
      }
      if (havePlaces && haveSides)
        tileas::checkAccesses(verifier);
      if (!verifier.isBroken())
        tileas::checkStageCopies(verifier);
    }
    if (verifier.isBroken())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
