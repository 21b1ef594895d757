// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Decisions.h"
#include "tileas/plan/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASCHECKDECISIONS
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileas::DecisionAttr;
using tileas::DecisionKind;
using tileas::Part;

namespace {

class CheckDecisions : public tilewright::impl::TileasCheckDecisionsBase<CheckDecisions> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    tileas::DecisionTable table(function);
    function.walk([&](Operation *op) {
      if (std::optional<Part> part = tileas::partOf(op))
        decideRest(op, *part, table);
    });
    table.write();
    bool isAsAsked = true;
    for (DecisionAttr decision : tileas::decisionsOf(function))
      isAsAsked &= succeeded(check(function, decision));
    if (!isAsAsked)
      signalPassFailure();
  }

  static void decideRest(Operation *op, Part part, tileas::DecisionTable &table) {
    auto decideIfOpen = [&](DecisionKind kind, int64_t value, const char *why) {
      if (!table.isDecided(op, kind))
        table.decide(op, kind, value, why);
    };
    if (part == Part::Loop)
      decideIfOpen(DecisionKind::Stages, 1, "no load of the loop is prefetched");
    else if (part == Part::Load || part == Part::Store)
      decideIfOpen(DecisionKind::Way, tileas::way::threads, "no other way was found for the tile");
  }

  static const char *whyUndecided(DecisionKind kind) {
    switch (kind) {
    case DecisionKind::ProducerRegisters:
      return "it is decided for kernels with a producer";
    case DecisionKind::Slice:
      return "no tile is sliced for being too large";
    case DecisionKind::Cache:
      return "it is decided for tiles that threads load or store";
    default:
      return "the part is unrolled, or was merged with another one";
    }
  }

  static LogicalResult check(func::FuncOp function, DecisionAttr decision) {
    std::optional<int64_t> asked = decision.getAsked(), value = decision.getValue();
    if (!asked || asked == value)
      return success();
    // Of copies that threads do not make, too.
    if (!value && decision.getKind() == DecisionKind::Cache && *asked == int64_t(tileaa::CachePolicy::Default))
      return success();
    // At the place alone: with the operation the whole kernel would be printed.
    InFlightDiagnostic error = emitError(function.getLoc());
    error << decision.getAskedBy() << ": " << stringifyDecisionKind(decision.getKind()) << " = "
          << tileas::valueText(decision.getKind(), *asked) << " of " << stringifyPart(decision.getPart());
    if (decision.getPart() != Part::Kernel)
      error << ' ' << decision.getNumber();
    if (!decision.getPlace().empty())
      error << " (" << decision.getPlace() << ")";
    if (!value)
      return error << " is impossible: " << whyUndecided(decision.getKind());
    return error << " is impossible, it is " << tileas::valueText(decision.getKind(), *value) << ": "
                 << decision.getReason();
  }
};

} // namespace
