// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASUNROLLREGISTERLOOPS
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Whether the numbers are the loop's alone: of its induction variable, constants, and arithmetic with them.
bool areOfInduction(ValueRange numbers, scf::ForOp loop) {
  llvm::SetVector<Value> all(numbers.begin(), numbers.end());
  for (unsigned next = 0; next != all.size(); ++next) {
    Operation *op = all[next].getDefiningOp();
    if (all[next] != loop.getInductionVar() && (!op || !isa<arith::ArithDialect>(op->getDialect())))
      return false;
    if (op)
      all.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

// Whether a thread has the part's elements in registers of its own, once it is known which part it is.
bool isInRegisters(Operation *op, scf::ForOp loop) {
  Value whole, part;
  OperandRange offsets(nullptr, 0);
  if (auto extract = dyn_cast<tileaa::ExtractOp>(op)) {
    whole = extract.getSource(), part = extract.getResult(), offsets = extract.getOffsets();
  } else if (auto insert = dyn_cast<tileaa::InsertOp>(op)) {
    whole = insert.getResult(), part = insert.getSource(), offsets = insert.getOffsets();
  } else {
    return false;
  }
  return llvm::any_of(offsets, [](Value offset) { return !offset.getDefiningOp<arith::ConstantOp>(); }) &&
         areOfInduction(offsets, loop) &&
         tileas::layoutOfParts(tileas::layoutOf(whole), cast<RankedTensorType>(part.getType()).getShape());
}

class UnrollRegisterLoops : public tilewright::impl::TileasUnrollRegisterLoopsBase<UnrollRegisterLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isWorthIt(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      (void)loopUnrollFull(loop); // or it stays
    // Offsets become the constants that they are.
    if (!loops.empty())
      (void)applyPatternsGreedily(getOperation(), {});
  }

  // Nested loops stay: their bodies would be repeated many times.
  static bool isWorthIt(scf::ForOp loop) {
    auto trips = loop.getStaticTripCount();
    if (!trips || trips->ugt(mostTrips) || trips->isZero())
      return false;
    int64_t count = 0;
    bool loads = false, multiplies = false, hasLoop = false, hasParts = false;
    loop.getBody()->walk([&](Operation *op) {
      ++count;
      loads |= isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op);
      multiplies |= isa<tileas::MmaOp, tileas::ScaledMmaOp>(op);
      hasLoop |= isa<LoopLikeOpInterface>(op);
      hasParts |= isInRegisters(op, loop);
    });
    // Copies of what is multiplied come ahead in a loop only.
    return hasParts && !hasLoop && !(loads && multiplies) && count * int64_t(trips->getZExtValue()) <= mostOps;
  }

  static constexpr uint64_t mostTrips = 16;
  static constexpr int64_t mostOps = 512;
};

} // namespace
