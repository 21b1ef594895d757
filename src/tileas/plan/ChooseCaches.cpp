// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/Passes.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASCHOOSECACHES
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class ChooseCaches : public tilewright::impl::TileasChooseCachesBase<ChooseCaches> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto isOwn = [](tileaa::AllocaOp) { return WalkResult::interrupt(); };
    bool hasOwnMemory = function.walk(isOwn).wasInterrupted();
    tileas::DecisionTable table(function);
    function.walk([&](Operation *op) {
      std::optional<tileas::Part> part = tileas::partOf(op);
      if ((part != tileas::Part::Load && part != tileas::Part::Store) || !op->hasAttr(tileas::numberAttr))
        return;
      const char *never = findObstacle(op, hasOwnMemory);
      std::optional<int64_t> asked = tileas::askedFor(op, tileas::DecisionKind::Cache);
      tileaa::CachePolicy policy = never   ? tileaa::CachePolicy::Default
                                   : asked ? tileaa::CachePolicy(*asked)
                                           : tileaa::cachePolicyOf(op);
      bool streams = policy == tileaa::CachePolicy::Streaming;
      table.decide(op, tileas::DecisionKind::Cache, int64_t(policy),
                   never     ? never
                   : streams ? "the module has that policy"
                             : "its data may be used again");
      if (policy != tileaa::cachePolicyOf(op))
        tileaa::setCachePolicy(op, policy);
    });
    table.write();
  }

  // PTX ISA 9.7.9.8: of local memory, ld.cs drops the line, which is then lost.
  static const char *findObstacle(Operation *access, bool hasOwnMemory) {
    if (tileaa::orderingOf(access))
      return "an access with a memory ordering is made where all threads see it";
    return hasOwnMemory ? "the kernel has memory of its own, and an address may be there" : nullptr;
  }
};

} // namespace
