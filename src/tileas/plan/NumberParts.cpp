// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Slices.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASNUMBERPARTS
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class NumberParts : public tilewright::impl::TileasNumberPartsBase<NumberParts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Builder builder(function);
    int64_t counts[tileas::getMaxEnumValForPart() + 1] = {1};
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      std::optional<tileas::Part> part = tileas::partOf(op);
      if (part && *part != tileas::Part::Kernel && isDecidedOn(op))
        op->setAttr(tileas::numberAttr, builder.getI64IntegerAttr(counts[unsigned(*part)]++));
    });
    SmallVector<tileas::DecisionAttr> asked = tileas::decisionsOf(function);
    tileas::setDecisions(function, asked);
    recordSlices();
    for (tileas::DecisionAttr decision : asked)
      if (int64_t count = counts[unsigned(decision.getPart())]; decision.getNumber() >= count) {
        emitError(function.getLoc()) << decision.getAskedBy() << ": a decision on "
                                     << tileas::stringifyPart(decision.getPart()) << " " << decision.getNumber()
                                     << ", and the kernel has " << count << " of them, counted from 0";
        return signalPassFailure();
      }
  }

  // Tiles were sliced before there was a plan to record that.
  void recordSlices() {
    func::FuncOp function = getOperation();
    if (std::optional<int64_t> elements = tileaa::sliceMade(function))
      tileas::decide(function, tileas::DecisionKind::Slice, *elements,
                     "registers do not hold whole tiles: " + tileaa::textOfSlices(function));
    tileaa::removeSliceSizes(function);
  }

  // Of scalars nothing is decided.
  static bool isDecidedOn(Operation *op) {
    auto isTile = llvm::IsaPred<RankedTensorType>;
    return isa<scf::ForOp>(op) || llvm::any_of(op->getOperandTypes(), isTile) ||
           llvm::any_of(op->getResultTypes(), isTile);
  }
};

} // namespace
