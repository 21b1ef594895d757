// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/verify/Paths.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

Paths::Paths(Region &region, function_ref<bool(Operation *)> isEvent) {
  collect(region, isEvent);
}

bool Paths::collect(Region &region, function_ref<bool(Operation *)> isEvent) {
  bool any = false;
  for (Block &block : region) {
    std::vector<Operation *> found;
    for (Operation &op : block) {
      bool isOne = isEvent(&op);
      for (Region &inner : op.getRegions())
        isOne |= collect(inner, isEvent);
      any |= isOne;
      if (isOne || isa<RegionBranchTerminatorOpInterface>(op)) {
        positions[&op] = found.size();
        found.push_back(&op);
      }
    }
    events[&block] = std::move(found);
  }
  return any;
}

void Paths::from(Operation *event, int64_t state, Step step) const {
  follow({event->getBlock(), positions.lookup(event) + 1, state}, step);
}

void Paths::fromBegin(Block &block, int64_t state, Step step) const {
  follow({&block, 0, state}, step);
}

void Paths::follow(Place begin, Step step) const {
  std::set<std::tuple<Block *, size_t, int64_t>> seen;
  SmallVector<Place> worklist{begin};
  auto reach = [&](Block *block, size_t index, int64_t state) {
    if (seen.insert({block, index, state}).second)
      worklist.push_back({block, index, state});
  };
  auto branch = [&](RegionBranchOpInterface op, RegionBranchPoint point, int64_t state) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      if (successor.isParent())
        reach(op->getBlock(), positions.lookup(op) + 1, state);
      else
        reach(&successor.getSuccessor()->front(), 0, state);
    }
  };
  while (!worklist.empty()) {
    auto [block, index, state] = worklist.pop_back_val();
    const std::vector<Operation *> &list = events.find(block)->second;
    bool ends = false;
    for (; index != list.size() && !ends; ++index) {
      Operation *op = list[index];
      ends = true;
      if (auto inner = dyn_cast<RegionBranchOpInterface>(op)) {
        branch(inner, RegionBranchPoint::parent(), state);
      } else if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
                 terminator && isa<RegionBranchOpInterface>(op->getParentOp())) {
        branch(cast<RegionBranchOpInterface>(op->getParentOp()), terminator, state);
      } else if (std::optional<int64_t> next = step(op, state)) {
        state = *next;
        ends = false;
      }
    }
    if (!ends)
      step(nullptr, state);
  }
}
