// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Decisions.h"
#include "tileas/schedule/LoopProblem.h"
#include "tileas/schedule/Passes.h"
#include "tileas/schedule/SchedulableLoops.h"

#include "machine/Performance.h"
#include "llvm/Support/FormatVariadic.h"

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
    SmallVector<scf::ForOp> schedulable = schedulableLoops(getOperation());
    for (scf::ForOp loop : schedulable) {
      std::string reason = decide(loop);
      for (Operation &op : *loop.getBody())
        op.removeAttr(costAttr);
      if (reason.empty())
        continue;
      joinProducts(loop); // products that overlap with nothing
      loop->setAttr(serialAttr, StringAttr::get(&getContext(), reason));
    }
    removeNumbers(schedulable);
  }

private:
  // A slightly shorter step is not worth the code of prologue and epilogue.
  static constexpr int64_t leastGain = 20; // a twentieth

  // Gives the loop its schedule, or says why it has none.
  std::string decide(scf::ForOp loop) const {
    if (kind == "serial")
      return "schedules are switched off";
    const nvidia::Performance *rates = nvidia::performanceOf(*architectureOf(loop));
    if (!rates || !rates->hasSchedules)
      return "times of the architecture's units are not known";
    if (loop.getBody()->getOps<MmaWaitOp>().empty())
      return "threads add the sums of its products, and wait for them";
    if (isRest(loop))
      return "it is the rest of the loop before, and has few iterations";
    LoopDependences found = *LoopDependences::of(loop);
    LoopProblem problem(loop, found);
    if (!problem.isMarked())
      return "an operation's time is not known";
    auto chosen = problem.solve();
    if (!chosen)
      return "no shorter step has its tiles in registers";
    if (chosen->cycles * leastGain > chosen->serialCycles * (leastGain - 1))
      return llvm::formatv("an iteration is estimated at {0} cycles, a step that overlaps iterations at {1}",
                           chosen->serialCycles, chosen->cycles)
          .str();
    loop->setAttr(scheduleAttr,
                  ScheduleAttr::get(loop.getContext(), chosen->schedule, chosen->cycles, chosen->serialCycles));
    return "";
  }

  // But of loops, and of parts that a schedule may name.
  void removeNumbers(ArrayRef<scf::ForOp> schedulable) {
    DenseSet<Operation *> loops(schedulable.begin(), schedulable.end());
    getOperation().walk([&](Operation *op) {
      if (!isa<scf::ForOp>(op) && !loops.contains(op->getParentOp()))
        op->removeAttr(numberAttr);
    });
  }
};

} // namespace
