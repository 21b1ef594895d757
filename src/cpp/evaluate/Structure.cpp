// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/evaluate/Structure.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace tilewright::cpp {

// Whether a jump in that `if` leaves the loop around it.
static bool hasBreak(IfOp branch) {
  auto found = branch->walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<LoopOp, ForOp>(op))
      return WalkResult::skip();
    return isa<BreakOp, ReturnOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static bool leaves(Region &region) {
  return !region.empty() && isa<BreakOp>(region.front().back());
}

static IfOp findBranch(Block &block) {
  for (auto branch : block.getOps<IfOp>())
    if (hasBreak(branch))
      return branch;
  return nullptr;
}

// Each branch with a jump has one at the end of a region at least, and so have those in what follows.
static bool canStructure(Block &block) {
  for (auto branch : block.getOps<IfOp>()) {
    if (!hasBreak(branch))
      continue;
    if (!leaves(branch.getThenRegion()) && !leaves(branch.getElseRegion()))
      return false;
    for (Region *region : branch.getRegions())
      if (!region->empty() && (isa<ReturnOp>(region->front().back()) || !canStructure(region->front())))
        return false;
  }
  return true;
}

// Moves what follows a branch into the region that goes on, so that both regions end in a jump; then the branch has the
// values of the jumps.
static void structure(Block &block, TypeRange types) {
  IfOp branch = findBranch(block);
  if (!branch)
    return;
  auto rest = llvm::make_range(std::next(branch->getIterator()), block.end());
  bool bothLeave = leaves(branch.getThenRegion()) && leaves(branch.getElseRegion());
  if (!bothLeave) {
    Region &other = leaves(branch.getThenRegion()) ? branch.getElseRegion() : branch.getThenRegion();
    if (other.empty())
      other.emplaceBlock();
    Block &end = other.front();
    if (!end.empty()) {
      branch->replaceAllUsesWith(end.back().getOperands());
      end.back().erase();
    }
    end.getOperations().splice(end.end(), block.getOperations(), rest.begin(), rest.end());
  } else {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(rest))) {
      op.dropAllUses();
      op.erase();
    }
  }
  for (Region *region : branch.getRegions()) {
    structure(region->front(), types);
    Operation &last = region->front().back();
    OpBuilder builder(&last);
    YieldOp::create(builder, last.getLoc(), TypeRange(), last.getOperands());
    last.erase();
  }
  OpBuilder builder(branch);
  OperationState state(branch.getLoc(), IfOp::getOperationName());
  state.addOperands(branch.getCondition());
  state.addTypes(types);
  state.addRegion()->takeBody(branch.getThenRegion());
  state.addRegion()->takeBody(branch.getElseRegion());
  Operation *made = builder.create(state);
  branch.erase();
  builder.setInsertionPointToEnd(&block);
  BreakOp::create(builder, made->getLoc(), TypeRange(), made->getResults());
}

SmallVector<Value> withoutLoop(LoopOp loop) {
  Block &block = loop.getBody().front();
  if (!canStructure(block))
    return llvm::to_vector_of<Value>(loop->getResults());
  structure(block, loop->getResultTypes());
  Operation *end = &block.back();
  if (!isa<BreakOp>(end)) // a `return`, or an end that is never reached
    return llvm::to_vector_of<Value>(loop->getResults());
  SmallVector<Value> results = llvm::to_vector(end->getOperands());
  end->erase();
  loop->getBlock()->getOperations().splice(loop->getIterator(), block.getOperations());
  loop.erase();
  return results;
}

} // namespace tilewright::cpp
