// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jumps to the end of a loop, a `switch` or a function. Those out of several loops leave one after another: a flag says
// that they are still to go on.
#include "cpp/evaluate/Evaluator.h"

using namespace mlir;

namespace tilewright::cpp {

void Evaluator::leaveInnermost(bool continues) {
  Target &target = *targets.back();
  Jump jump;
  jump.values = slots.changesSince(target.mark, target.numSlots);
  for (unsigned slot : target.carried)
    jump.values[slot] = slots[slot];
  jump.op = continues ? emitter.build<cuda_tile::ContinueOp>().getOperation()
                      : emitter.build<cuda_tile::BreakOp>().getOperation();
  (continues ? target.continues : target.breaks).push_back(std::move(jump));
  isAlive = false;
}

void Evaluator::jump(Target &target, bool continues) {
  if (target.kind == Target::Kernel) {
    emitter.build<cuda_tile::ReturnOp>();
    isAlive = false;
    return;
  }
  if (&target != targets.back()) {
    slots.write(continues ? target.pendingContinue : target.pendingBreak, emitter.boolean(true));
    leaveInnermost(false);
    return;
  }
  if (!continues)
    return leaveInnermost(false);
  slots.write(target.pendingContinue, emitter.boolean(false));
  if (target.next)
    target.next();
  if (isAlive)
    leaveInnermost(true);
}

// Behind a loop: jumps out of it that go on.
void Evaluator::takePendingJumps() {
  for (Target *target : llvm::reverse(targets)) {
    if (!target->hasRegion())
      continue;
    for (bool continues : {false, true}) {
      const Leaf &pending = slots[continues ? target->pendingContinue : target->pendingBreak];
      if (!isAlive || !pending.value || pending.value == emitter.boolean(false))
        continue;
      unsigned slot = continues ? target->pendingContinue : target->pendingBreak;
      branch(pending.value, [&]() { jump(*target, continues); }, [&]() { slots.write(slot, emitter.boolean(false)); });
    }
  }
}

// An end that is not reached needs a jump, too.
void Evaluator::endDeadBlock() {
  Block *block = emitter.builder.getInsertionBlock();
  if (isAlive || (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>()))
    return;
  if (targets.back()->kind == Target::Kernel)
    emitter.build<cuda_tile::ReturnOp>();
  else
    leaveInnermost(targets.back()->kind == Target::For);
}

// Of the slots that may differ where a region is left: those that do become results, for which the jumps get operands.
// The others are written to `after`.
SmallVector<unsigned> Evaluator::settleBreaks(Target &target, Region &region, SlotValues &after) {
  for (Jump &jump : target.breaks)
    after.insert(jump.values.begin(), jump.values.end());
  SmallVector<unsigned> results;
  for (auto &[slot, leaf] : after) {
    auto leafAt = [&, slot = slot](Jump &jump) {
      auto found = jump.values.find(slot);
      return found == jump.values.end() ? slots[slot] : found->second;
    };
    leaf = leafAt(target.breaks.front());
    bool isSame = llvm::all_of(target.breaks, [&, &first = leaf](Jump &jump) { return leafAt(jump) == first; });
    if (isSame && isAvailable(leaf, region))
      continue;
    leaf = Leaf();
    leaf.isUnknown = llvm::any_of(target.breaks, [&, slot = slot](Jump &jump) { return !yielded(leafAt(jump), slot); });
    if (leaf.isUnknown)
      continue;
    results.push_back(slot);
    for (Jump &jump : target.breaks)
      jump.op->insertOperands(jump.op->getNumOperands(), yielded(leafAt(jump), slot));
  }
  return results;
}

} // namespace tilewright::cpp
