// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Decisions.h"
#include "tileas/schedule/LoopProblem.h"
#include "tileas/schedule/Passes.h"
#include "tileas/schedule/SchedulableLoops.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASGENERATESCHEDULE
#include "tileas/schedule/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// Of two loops one after the other, of which the second goes on where the first ends, the second is the rest: a few
// iterations at most, in which nothing overlaps.
bool isRest(scf::ForOp loop) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode())
    if (auto before = dyn_cast<scf::ForOp>(op); before && before.getUpperBound() == loop.getLowerBound())
      return true;
  return false;
}

class GenerateSchedule : public tilewright::impl::TileasGenerateScheduleBase<GenerateSchedule> {
public:
  using TileasGenerateScheduleBase::TileasGenerateScheduleBase;

  LogicalResult initialize(MLIRContext *) override {
    if (kind == "serial" || kind == "cost-based")
      return success();
    llvm::errs() << "tileas-generate-schedule: kind is '" << kind << "', expected serial or cost-based\n";
    return failure();
  }

  void runOnOperation() override {
    if (!expectCta(getOperation()))
      return signalPassFailure();
    getOperation().walk([&](scf::ForOp loop) {
      bool isMarked = llvm::any_of(loop.getBody()->getOperations(), [](Operation &op) { return op.hasAttr(costAttr); });
      if (!isMarked)
        return;
      if (kind == "cost-based" && !isRest(loop))
        if (auto found = LoopDependences::of(loop))
          decide(loop, *found);
      for (Operation &op : *loop.getBody())
        op.removeAttr(costAttr);
      if (!loop->hasAttr(scheduleAttr))
        joinProducts(loop); // products that overlap with nothing
    });
    removeNumbers();
  }

private:
  // A slightly shorter step is not worth the code of prologue and epilogue.
  static constexpr int64_t leastGain = 20; // a twentieth

  static void decide(scf::ForOp loop, const LoopDependences &found) {
    LoopProblem problem(loop, found);
    if (!problem.isMarked())
      return;
    auto chosen = problem.solve();
    if (!chosen || chosen->cycles * leastGain > chosen->serialCycles * (leastGain - 1))
      return;
    loop->setAttr(scheduleAttr,
                  ScheduleAttr::get(loop.getContext(), chosen->schedule, chosen->cycles, chosen->serialCycles));
  }

  // But of loops, and of parts that a schedule may name.
  void removeNumbers() {
    DenseSet<Operation *> schedulable;
    for (scf::ForOp loop : schedulableLoops(getOperation()))
      schedulable.insert(loop);
    getOperation().walk([&](Operation *op) {
      if (!isa<scf::ForOp>(op) && !schedulable.contains(op->getParentOp()))
        op->removeAttr(numberAttr);
    });
  }
};

} // namespace
