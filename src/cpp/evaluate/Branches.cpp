// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches: the leaves that one of two paths changes become a result of an `if`, or a select.
#include "cpp/evaluate/Evaluator.h"
#include "cpp/values/Fold.h"

using namespace mlir;

namespace tilewright::cpp {

// Regions that are being evaluated have no operation yet.
static bool isInside(Value value, Region &region) {
  Region *at = value ? value.getParentRegion() : nullptr;
  while (at && at != &region)
    at = at->getParentOp() ? at->getParentOp()->getParentRegion() : nullptr;
  return at;
}

bool isAvailable(const Leaf &leaf, Region &region) {
  return !isInside(leaf.value, region) &&
         !(leaf.place && (isInside(leaf.place->address, region) || isInside(leaf.place->index, region)));
}

Value Evaluator::yielded(const Leaf &leaf, unsigned slot) {
  if (leaf.value)
    return leaf.value;
  auto type = dyn_cast_or_null<cuda_tile::TileType>(slots.type(slot));
  if (!type || leaf.place || leaf.isUnknown)
    return nullptr;
  return emitter.zero(type); // one that was never written reads as 0
}

Evaluator::Path Evaluator::follow(llvm::function_ref<void()> evaluatePath) {
  Path path;
  path.region = std::make_unique<Region>();
  OpBuilder::InsertionGuard guard(emitter.builder);
  emitter.builder.setInsertionPointToStart(&path.region->emplaceBlock());
  size_t mark = slots.mark();
  unsigned count = slots.size();
  bool wasAlive = isAlive;
  evaluatePath();
  endDeadBlock();
  path.isAlive = isAlive;
  isAlive = wasAlive;
  path.changes = slots.changesSince(mark, count);
  slots.rollBack(mark);
  return path;
}

void Evaluator::branch(Value condition, llvm::function_ref<void()> whenTrue, llvm::function_ref<void()> whenFalse) {
  if (std::optional<llvm::APInt> constant = constantInteger(condition)) {
    constant->isZero() ? whenFalse() : whenTrue();
    return;
  }
  Path first = follow(whenTrue), second = follow(whenFalse);
  mergePaths(condition, first, second);
}

// A few operations on scalars that may be done in any case.
static bool isCheap(Region &region) {
  unsigned count = 0;
  for (Operation &op : region.front())
    if (++count > 4 || !isPure(&op) || llvm::any_of(op.getResultTypes(), [](Type type) {
          return !cast<cuda_tile::TileType>(type).getShape().empty();
        }))
      return false;
  return true;
}

void Evaluator::mergePaths(Value condition, Path &whenTrue, Path &whenFalse) {
  SlotValues changed = whenTrue.changes;
  changed.insert(whenFalse.changes.begin(), whenFalse.changes.end());
  auto valueIn = [&](const Path &path, unsigned slot) {
    auto found = path.changes.find(slot);
    return found == path.changes.end() ? slots[slot] : found->second;
  };
  auto isOutside = [&](const Leaf &leaf) {
    return isAvailable(leaf, *whenTrue.region) && isAvailable(leaf, *whenFalse.region);
  };

  SmallVector<unsigned> results;
  SmallVector<Value> trueValues, falseValues;
  for (auto &[slot, leaf] : changed) {
    Leaf a = valueIn(whenTrue, slot), b = valueIn(whenFalse, slot);
    if (!whenTrue.isAlive && !whenFalse.isAlive)
      break;
    if (!whenTrue.isAlive)
      a = b;
    if (!whenFalse.isAlive)
      b = a;
    if (a == b && isOutside(a)) {
      slots.write(slot, a);
      continue;
    }
    Value first = yielded(a, slot), second = yielded(b, slot);
    if (!first || !second) {
      Leaf unknown;
      unknown.isUnknown = true;
      slots.write(slot, unknown);
      continue;
    }
    results.push_back(slot);
    trueValues.push_back(first);
    falseValues.push_back(second);
  }

  bool bothAlive = whenTrue.isAlive && whenFalse.isAlive;
  isAlive = whenTrue.isAlive || whenFalse.isAlive;
  auto isScalar = [](Value value) { return tileTypeOf(value).getShape().empty(); };
  if (bothAlive && isCheap(*whenTrue.region) && isCheap(*whenFalse.region) && llvm::all_of(trueValues, isScalar)) {
    Block *block = emitter.builder.getInsertionBlock();
    for (Path *path : {&whenTrue, &whenFalse})
      block->getOperations().splice(emitter.builder.getInsertionPoint(), path->region->front().getOperations());
    for (auto [slot, a, b] : llvm::zip_equal(results, trueValues, falseValues))
      slots.write(slot, emitter.create("select", {condition, a, b}, a.getType()));
    return;
  }

  for (auto [path, values] : {std::pair(&whenTrue, &trueValues), std::pair(&whenFalse, &falseValues)}) {
    if (!path->isAlive)
      continue;
    OpBuilder::InsertionGuard guard(emitter.builder);
    emitter.builder.setInsertionPointToEnd(&path->region->front());
    emitter.build<cuda_tile::YieldOp>(TypeRange(), ValueRange(*values));
  }
  OperationState state(emitter.getLocation(), cuda_tile::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(llvm::map_to_vector(trueValues, [](Value value) { return value.getType(); }));
  state.addRegion(std::move(whenTrue.region));
  bool hasElse = !results.empty() || !whenFalse.isAlive || whenFalse.region->front().getOperations().size() > 1;
  if (hasElse)
    state.addRegion(std::move(whenFalse.region));
  else
    state.addRegion();
  Operation *op = emitter.builder.create(state);
  for (auto [slot, result] : llvm::zip_equal(results, op->getResults()))
    slots.write(slot, Leaf(result));
}

} // namespace tilewright::cpp
