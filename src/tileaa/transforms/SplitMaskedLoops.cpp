// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright {
#define GEN_PASS_DEF_SPLITMASKEDLOOPSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t rowsOfGroup = 64; // of a warpgroup's instruction

// Whether a loop has several products, which are to overlap with what is between them: each of a warpgroup.
bool isOfSeveralProducts(scf::ForOp loop) {
  auto products = loop.getBody()->getOps<tileaa::MmaOp>();
  return llvm::range_size(products) > 1 && llvm::all_of(products, [](tileaa::MmaOp mma) {
           auto sums = cast<RankedTensorType>(mma.getAcc().getType());
           return sums.getRank() == 2 && sums.getDimSize(0) >= rowsOfGroup;
         });
}

// The number of the iteration from which on a branch works, and before which it does nothing; null where there is none.
// Which iterations those are is known before the loop, and not when the kernel is compiled.
Value firstOfBranch(scf::IfOp branch, scf::ForOp loop) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || branch.getElseRegion().empty() || !llvm::hasSingleElement(branch.getElseRegion().front()))
    return {};
  Value iteration = compare.getLhs(), first = compare.getRhs();
  auto expected = arith::CmpIPredicate::sge;
  if (first == loop.getInductionVar()) {
    std::swap(iteration, first);
    expected = arith::CmpIPredicate::sle;
  }
  bool isKnownBefore = loop.isDefinedOutsideOfLoop(first) && !matchPattern(first, m_Constant());
  return compare.getPredicate() == expected && iteration == loop.getInductionVar() && isKnownBefore ? first : Value();
}

// Puts the operations of one side of a branch in its place.
void decide(scf::IfOp branch, bool isTaken, RewriterBase &rewriter) {
  Block *block = isTaken ? branch.thenBlock() : branch.elseBlock();
  SmallVector<Value> results(block->getTerminator()->getOperands());
  rewriter.eraseOp(block->getTerminator());
  rewriter.inlineBlockBefore(block, branch);
  rewriter.replaceOp(branch, results);
}

class SplitMaskedLoops : public tilewright::impl::SplitMaskedLoopsPassBase<SplitMaskedLoops> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](scf::ForOp loop) {
      if (!isOfSeveralProducts(loop) || loop.getUnsignedCmp() || !isConstantIntValue(loop.getStep(), 1))
        return;
      for (auto branch : loop.getBody()->getOps<scf::IfOp>())
        if (firstOfBranch(branch, loop)) {
          branches.push_back(branch);
          return;
        }
    });
    for (scf::IfOp branch : branches)
      split(branch);
  }

  static void split(scf::IfOp branch) {
    auto loop = cast<scf::ForOp>(branch->getParentOp());
    Value first = firstOfBranch(branch, loop);
    IRRewriter rewriter(loop);
    Location loc = loop.getLoc();
    Value middle = arith::MinSIOp::create(rewriter, loc, first, loop.getUpperBound());
    middle = arith::MaxSIOp::create(rewriter, loc, middle, loop.getLowerBound());
    rewriter.setInsertionPointAfter(loop);
    IRMapping mapping;
    auto rest = cast<scf::ForOp>(rewriter.clone(*loop, mapping));
    auto ofRest = cast<scf::IfOp>(mapping.lookup(branch.getOperation()));
    rewriter.replaceAllUsesWith(loop.getResults(), rest.getResults());
    rest.getInitArgsMutable().assign(loop.getResults());
    rest.setLowerBound(middle);
    loop.setUpperBound(middle);
    decide(branch, /*isTaken=*/false, rewriter);
    decide(ofRest, /*isTaken=*/true, rewriter);
  }
};

} // namespace
