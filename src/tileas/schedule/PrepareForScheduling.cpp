// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileas/schedule/LoopDependences.h"
#include "tileas/schedule/OperationCost.h"
#include "tileas/schedule/Passes.h"
#include "tileas/schedule/SchedulableLoops.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASPREPAREFORSCHEDULING
#include "tileas/schedule/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

class PrepareForScheduling : public tilewright::impl::TileasPrepareForSchedulingBase<PrepareForScheduling> {
  void runOnOperation() override {
    const nvidia::Architecture *architecture = architectureOf(getOperation());
    if (!architecture)
      return signalPassFailure();
    const nvidia::Performance *rates = nvidia::performanceOf(*architecture);
    if (!rates || !rates->hasSchedules)
      return;
    getOperation().walk([&](scf::ForOp loop) {
      if (!hasScheduledProducts(loop) || loop->hasAttr(scheduleAttr) || !LoopDependences::of(loop))
        return;
      splitProducts(loop);
      // Products that threads stand by, as those with sums of f16, have nothing beside them.
      if (loop.getBody()->getOps<MmaWaitOp>().empty())
        return;
      for (Operation &op : loop.getBody()->without_terminator())
        op.setAttr(costAttr, costOf(&op, *rates).toAttribute(&getContext()));
    });
  }
};

} // namespace
