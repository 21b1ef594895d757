// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Finish.h"
#include "cuda_tile/transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace tilewright::cpp {

// x * y + z, and x * y - z as x * y + (-z), rounded once. Both round to nearest even, as nothing else is said.
static void contract(Operation *sum) {
  auto isPlain = [](auto op) { return op.getRoundingMode() == RoundingMode::NearestEven && !op.getFlushToZero(); };
  // A product that is written twice has two uses.
  auto isRepeated = [](MulFOp op) {
    return llvm::any_of(op.getLhs().getUsers(), [&](Operation *user) {
      auto other = dyn_cast<MulFOp>(user);
      return other && other != op && other.getLhs() == op.getLhs() && other.getRhs() == op.getRhs();
    });
  };
  auto product = [&](Value value) {
    auto op = value.getDefiningOp<MulFOp>();
    return op && op->hasOneUse() && isPlain(op) && !isRepeated(op) ? op : MulFOp();
  };
  Value a = sum->getOperand(0), b = sum->getOperand(1);
  auto difference = dyn_cast<SubFOp>(sum);
  if (difference ? !isPlain(difference) : !isPlain(cast<AddFOp>(sum)))
    return;
  MulFOp factor = product(a);
  Value rest = b;
  if (!factor && !difference) {
    factor = product(b);
    rest = a;
  }
  if (!factor)
    return;
  OpBuilder builder(sum);
  if (difference)
    rest = NegFOp::create(builder, sum->getLoc(), rest.getType(), rest);
  Value fused = FmaOp::create(builder, sum->getLoc(), rest.getType(), factor.getLhs(), factor.getRhs(), rest);
  sum->getResult(0).replaceAllUsesWith(fused);
  sum->erase();
  factor.erase();
}

// A view stands before the loops and branches that do not change it, once for all accesses.
static void hoistViews(EntryOp entry) {
  entry->walk([&](Operation *op) {
    if (!isa<MakeTensorViewOp, MakePartitionViewOp, MakeStridedViewOp, MakeGatherScatterViewOp>(op))
      return;
    auto isOutside = [&](Operation *parent) {
      return llvm::none_of(op->getOperands(), [&](Value operand) {
        return parent->isProperAncestor(operand.getParentBlock()->getParentOp()) ||
               operand.getParentBlock()->getParentOp() == parent;
      });
    };
    while (isa<ForOp, LoopOp, IfOp>(op->getParentOp()) && isOutside(op->getParentOp()))
      op->moveBefore(op->getParentOp());
  });
}

// Atomics, accesses with an order, and what is printed come in order with all of memory.
static bool ordersAllMemory(EntryOp entry) {
  auto isOrdered = [](auto access) { return access.getMemoryOrderingSemantics() != MemoryOrderingSemantics::WEAK; };
  return entry
      .walk([&](Operation *op) {
        bool orders = llvm::TypeSwitch<Operation *, bool>(op)
                          .Case<LoadPtrTkoOp, StorePtrTkoOp, LoadViewTkoOp, StoreViewTkoOp>(isOrdered)
                          .Case<AtomicCASTkoOp, AtomicRMWTkoOp, AtomicRedViewTkoOp>([](auto) { return true; })
                          .Default([](Operation *) { return false; });
        return orders ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void finishEntry(EntryOp entry, ArrayRef<int64_t> distinct, bool contracts) {
  if (contracts) {
    SmallVector<Operation *> sums;
    entry->walk([&](Operation *op) {
      if (isa<AddFOp, SubFOp>(op))
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      contract(sum);
  }
  hoistViews(entry);
  if (ordersAllMemory(entry))
    distinct = {};
  SmallVector<int64_t> others;
  for (int64_t i = 0, count = entry.getArgumentTypes().size(); i < count; ++i) {
    if (!isPtrTile(entry.getArgumentTypes()[i]))
      continue;
    if (llvm::is_contained(distinct, i))
      orderMemory(entry, i);
    else
      others.push_back(i);
  }
  orderMemory(entry, others, /*globals=*/true);
}

LogicalResult simplify(mlir::ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createCSEPass());
  return passes.run(module);
}

} // namespace tilewright::cpp
