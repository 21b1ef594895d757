// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/ArchitectureOption.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/schedule/LoopDependences.h"
#include "tileas/schedule/OperationCost.h"
#include "tileas/schedule/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASPREPAREFORSCHEDULING
#include "tileas/schedule/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

class PrepareForScheduling : public tilewright::impl::TileasPrepareForSchedulingBase<PrepareForScheduling> {
public:
  using TileasPrepareForSchedulingBase::TileasPrepareForSchedulingBase;

  void runOnOperation() override {
    const nvidia::Architecture *architecture = architectureOf(arch, getOperation());
    if (!architecture)
      return signalPassFailure();
    const Rates *rates = ratesOf(*architecture);
    if (!rates)
      return;
    getOperation().walk([&](scf::ForOp loop) {
      if (!hasScheduledProducts(loop) || loop->hasAttr(scheduleAttr) || !LoopDependences::of(loop))
        return;
      splitProducts(loop);
      for (Operation &op : loop.getBody()->without_terminator())
        op.setAttr(costAttr, costOf(&op, *rates).toAttribute(&getContext()));
    });
  }

private:
  // A product's end becomes an operation of its own, which has a place in a schedule.
  static void splitProducts(scf::ForOp loop) {
    for (MmaOp mma : llvm::make_early_inc_range(loop.getBody()->getOps<MmaOp>())) {
      if (mma.getRunning() || !canRun(mma))
        continue;
      OpBuilder builder(mma->getContext());
      builder.setInsertionPointAfter(mma);
      auto wait = MmaWaitOp::create(builder, mma.getLoc(), mma.getType(), mma.getResult());
      mma.getResult().replaceAllUsesExcept(wait.getResult(), wait);
      mma.setRunning(true);
    }
  }
  static bool canRun(MmaOp mma) {
    Type sums = cast<RankedTensorType>(mma.getAcc().getType()).getElementType();
    auto buffer = dyn_cast<BufferType>(mma.getRhs().getType());
    if (mma.getAtom().getKind() != AtomKind::Wgmma || !buffer || !(sums.isF32() || sums.isInteger(32)))
      return false;
    return !addsByParts(mma.getFormat().value_or(buffer.getElementType()), sums, mma.getFastAcc());
  }
};

} // namespace
