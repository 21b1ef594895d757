// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops: what an iteration changes becomes a carried value.
#include "cpp/evaluate/Evaluator.h"
#include "cpp/evaluate/Structure.h"

using namespace mlir;

namespace tilewright::cpp {

namespace {

/// A loop whose body has been evaluated, in a region of its own.
struct LoopBody {
  std::unique_ptr<Region> region;
  Target target;
  SmallVector<Leaf> initial; // of the carried slots

  Block &block() { return region->front(); }
};

// Carried values that no iteration changes are those from before the loop.
void dropUnchanged(LoopBody &body, unsigned firstArgument) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (unsigned i = 0; i < body.target.carried.size(); ++i) {
      unsigned slot = body.target.carried[i];
      BlockArgument argument = body.block().getArgument(firstArgument + i);
      Value initial = body.initial[i].value;
      if (!llvm::all_of(body.target.continues, [&](Jump &jump) {
            Value value = jump.values[slot].value;
            return value == argument || value == initial;
          }))
        continue;
      argument.replaceAllUsesWith(initial);
      for (auto *jumps : {&body.target.continues, &body.target.breaks})
        for (Jump &jump : *jumps)
          for (auto &[number, leaf] : jump.values)
            if (leaf.value == argument)
              leaf.value = initial;
      body.block().eraseArgument(firstArgument + i);
      body.target.carried.erase(body.target.carried.begin() + i);
      body.initial.erase(body.initial.begin() + i);
      changed = true;
      break;
    }
  }
}

} // namespace

void Evaluator::loop(const LoopHeader &header, const clang::Stmt *whole, llvm::function_ref<void(Value)> evaluateBody,
                     llvm::function_ref<void()> next) {
  bool isFor = bool(header.lower);
  llvm::SetVector<unsigned> carried;
  for (unsigned slot : likelyChanged(whole))
    if (dyn_cast_or_null<cuda_tile::TileType>(slots.type(slot)) && !slots[slot].place && !slots[slot].isUnknown)
      carried.insert(slot);

  // Leaves that a body changes though that was not foreseen are carried in a second attempt.
  while (true) {
    LoopBody body;
    Target &target = body.target;
    target.kind = isFor ? Target::For : Target::Loop;
    target.outerObjects = destroyed.size();
    target.takesBreak = target.takesContinue = true;
    target.pendingBreak = slots.allocate(emitter.boolean(false).getType());
    target.pendingContinue = slots.allocate(emitter.boolean(false).getType());
    slots.define(target.pendingBreak, emitter.boolean(false));
    slots.define(target.pendingContinue, emitter.boolean(false));
    target.mark = slots.mark();
    target.numSlots = slots.size();
    target.carried.assign(carried.begin(), carried.end());
    target.next = next;
    body.region = std::make_unique<Region>();
    Block &block = body.region->emplaceBlock();
    if (isFor)
      block.addArgument(header.lower.getType(), emitter.getLocation());
    bool wasAlive = isAlive;
    {
      OpBuilder::InsertionGuard guard(emitter.builder);
      for (unsigned slot : target.carried) {
        body.initial.push_back(yielded(slots[slot], slot));
        slots.write(slot, Leaf(block.addArgument(slots.type(slot), emitter.getLocation())));
      }
      emitter.builder.setInsertionPointToStart(&block);
      targets.push_back(&target);
      evaluateBody(isFor ? block.getArgument(0) : Value());
      if (isAlive)
        jump(target, /*continues=*/true);
      endDeadBlock();
      targets.pop_back();
    }
    isAlive = wasAlive;
    slots.rollBack(target.mark);

    bool isComplete = true;
    for (Jump &jump : target.continues)
      for (auto &[slot, leaf] : jump.values) {
        if (carried.contains(slot) || leaf == slots[slot])
          continue;
        if (!slots.type(slot) || !yielded(leaf, slot))
          refuse("a reference or pointer to a local object changes in a loop, which tile code cannot do");
        carried.insert(slot);
        isComplete = false;
      }
    if (!isComplete)
      continue;

    dropUnchanged(body, isFor);
    for (Jump &jump : target.continues)
      for (unsigned slot : target.carried)
        jump.op->insertOperands(jump.op->getNumOperands(), yielded(jump.values[slot], slot));

    // Results: the carried values of a `for`, of a `loop` what differs from before where it is left.
    SmallVector<unsigned> results;
    SlotValues after;
    if (isFor)
      results.assign(target.carried.begin(), target.carried.end());
    else
      results = settleBreaks(target, *body.region, after);

    OperationState state(emitter.getLocation(),
                         isFor ? cuda_tile::ForOp::getOperationName() : cuda_tile::LoopOp::getOperationName());
    if (isFor)
      state.addOperands({header.lower, header.upper, header.step});
    for (Leaf &leaf : body.initial)
      state.addOperands(leaf.value);
    state.addTypes(llvm::map_to_vector(results, [&](unsigned slot) { return slots.type(slot); }));
    if (isFor && !header.isSigned)
      state.addAttribute("unsignedCmp", emitter.builder.getUnitAttr());
    state.addRegion(std::move(body.region));
    Operation *op = emitter.builder.create(state);
    if (!isFor && target.breaks.empty())
      isAlive = false; // it has no end
    for (auto &[slot, leaf] : after)
      slots.write(slot, leaf);
    for (auto [slot, result] : llvm::zip_equal(results, op->getResults()))
      slots.write(slot, Leaf(result));
    takePendingJumps();
    return;
  }
}

void Evaluator::scope(Target &target, llvm::function_ref<void()> evaluateBody) {
  target.kind = Target::Scope;
  target.outerObjects = destroyed.size();
  target.pendingBreak = slots.allocate(emitter.boolean(false).getType());
  slots.define(target.pendingBreak, emitter.boolean(false));
  target.pendingContinue = target.pendingBreak;
  target.mark = slots.mark();
  target.numSlots = slots.size();
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  bool wasAlive = isAlive;
  {
    OpBuilder::InsertionGuard guard(emitter.builder);
    emitter.builder.setInsertionPointToStart(&block);
    targets.push_back(&target);
    evaluateBody();
    if (isAlive)
      leaveInnermost(false);
    endDeadBlock();
    targets.pop_back();
  }
  isAlive = wasAlive;
  slots.rollBack(target.mark);

  SlotValues after;
  SmallVector<unsigned> results = settleBreaks(target, *region, after);
  OperationState state(emitter.getLocation(), cuda_tile::LoopOp::getOperationName());
  state.addTypes(llvm::map_to_vector(results, [&](unsigned slot) { return slots.type(slot); }));
  state.addRegion(std::move(region));
  auto op = cast<cuda_tile::LoopOp>(emitter.builder.create(state));
  SmallVector<Value> values = withoutLoop(op);
  if (target.breaks.empty())
    isAlive = false;
  for (auto &[slot, leaf] : after)
    slots.write(slot, leaf);
  for (auto [slot, value] : llvm::zip_equal(results, values))
    slots.write(slot, Leaf(value));
  takePendingJumps();
}

} // namespace tilewright::cpp
