// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "tileaa/ir/Hints.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUDECLINEHINTS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

constexpr std::pair<llvm::StringLiteral, const char *> reasons[] = {
    {tileaa::hint::latency, "processors prefetch in hardware"},
    {tileaa::hint::occupancy, "a thread of a CPU works on one block at a time"},
    {tileaa::hint::blocksOfCluster, "a CPU has no clusters of blocks"},
    {tileaa::hint::warps, "a CPU has no warps"},
};

struct DeclineHints : tilewright::impl::CpuDeclineHintsBase<DeclineHints> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (tileaa::mayBeRough(op))
        tileaa::answerRounding(op, false, "it is as accurate as without");
      tileaa::answerWithoutTma(op, "a CPU has no tensor memory accelerator");
      for (auto [name, why] : reasons)
        tileaa::declineHint(op, name, why);
    });
  }
};

} // namespace
