// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/LoopDependences.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

bool isByGroups(MmaOp mma) {
  return mma.getAtom().getKind() == AtomKind::Wgmma;
}

// The ring that a value is a buffer of.
Value ringOf(Value value) {
  auto read = value.getDefiningOp<ConsumerReadOp>();
  return read ? read.getPipeline() : Value();
}

enum class RingStep { None, Wait, Use, Release };

RingStep stepOf(Operation *op, Value ring) {
  if (auto wait = dyn_cast<ConsumerWaitOp>(op); wait && wait.getPipeline() == ring)
    return RingStep::Wait;
  if (auto release = dyn_cast<ConsumerReleaseOp>(op); release && release.getPipeline() == ring)
    return RingStep::Release;
  if (auto read = dyn_cast<ConsumerReadOp>(op); read && read.getPipeline() == ring)
    return RingStep::Use;
  auto readsRing = [&](Operation *user) {
    return llvm::any_of(user->getOperands(), [&](Value operand) { return ringOf(operand) == ring; });
  };
  // A product reads until its wait is over.
  if (auto wait = dyn_cast<MmaWaitOp>(op))
    op = wait.getRunning().getDefiningOp();
  return op && readsRing(op) ? RingStep::Use : RingStep::None;
}

} // namespace

bool tileas::onlyReinterprets(Operation *op) {
  return isa<tileaa::BroadcastOp, tileaa::ReshapeOp, MmaWaitOp>(op);
}

LoopDependences::LoopDependences(scf::ForOp loop) : loop(loop) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    numbers[&op] = body.size();
    body.push_back(&op);
  }
  for (Operation *op : body)
    for (const Source &source : sourcesOf(op))
      dependences.push_back({source.op, numbers[op], source.distance});
}

SmallVector<LoopDependences::Source> LoopDependences::sourcesOf(Operation *op) const {
  SmallVector<Source> sources;
  auto add = [&](Value value, unsigned distance) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == loop.getBody()) {
      if (argument == loop.getInductionVar())
        return;
      value = loop.getTiedLoopYieldedValue(argument)->get();
      ++distance;
    }
    if (Operation *from = value.getDefiningOp(); from && from->getBlock() == loop.getBody())
      sources.push_back({numbers.lookup(from), distance, value});
  };
  for (Value operand : op->getOperands())
    add(operand, 0);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    add(value, 0);
  return sources;
}

LoopDependences::Source LoopDependences::rootOf(Source source) const {
  while (onlyReinterprets(body[source.op])) {
    SmallVector<Source> inner = sourcesOf(body[source.op]);
    if (inner.empty())
      return source; // of what is outside
    source = {inner[0].op, source.distance + inner[0].distance, inner[0].value};
  }
  return source;
}

bool LoopDependences::addEffects() {
  llvm::MapVector<Value, SmallVector<unsigned>> rings; // operations that wait or release
  bool reads = false, writes = false;
  for (auto [number, op] : llvm::enumerate(body)) {
    if (isa<ConsumerWaitOp, ConsumerReleaseOp>(op)) {
      rings[op->getOperand(0)].push_back(number);
    } else if (isa<ConsumerReadOp, MmaOp, MmaWaitOp>(op)) {
      continue; // of buffers that are not written meanwhile
    } else if (!isMemoryEffectFree(op)) {
      auto effects = getEffectsRecursively(op);
      if (!effects)
        return false;
      for (MemoryEffects::EffectInstance &effect : *effects) {
        if (effect.getResource() == SharedMemory::get() || isa<MemoryEffects::Allocate>(effect.getEffect()))
          return false;
        (isa<MemoryEffects::Read>(effect.getEffect()) ? reads : writes) = true;
      }
    }
  }
  // Of accesses of global memory only those that never meet change places.
  if (writes)
    return false;
  for (auto &[ring, steps] : rings) {
    // Within an iteration each step comes after those before it and before those behind it; the first comes after the
    // last of the iteration before.
    std::optional<unsigned> first, last;
    SmallVector<unsigned> since; // the last wait or release
    for (unsigned number = 0; number != body.size(); ++number) {
      RingStep step = stepOf(body[number], ring);
      if (step == RingStep::None)
        continue;
      if (step == RingStep::Use) {
        if (!last)
          return false;
        dependences.push_back({*last, number, 0});
        since.push_back(number);
        continue;
      }
      for (unsigned use : since)
        dependences.push_back({use, number, 0});
      if (last)
        dependences.push_back({*last, number, 0});
      else if (step != RingStep::Wait)
        return false;
      since.clear();
      first = first.value_or(number);
      last = number;
    }
    // All that is read in an iteration is released in it.
    if (!since.empty() || stepOf(body[*last], ring) != RingStep::Release)
      return false;
    dependences.push_back({*last, *first, 1});
  }
  return true;
}

std::optional<LoopDependences> LoopDependences::of(scf::ForOp loop) {
  // Values that an iteration yields are computed in it.
  for (Value yielded : loop.getYieldedValues())
    if (!yielded.getDefiningOp() || yielded.getDefiningOp()->getBlock() != loop.getBody())
      return std::nullopt;
  LoopDependences found(loop);
  if (!found.addEffects())
    return std::nullopt;
  return found;
}

llvm::Error LoopDependences::errorOf(const Dependence &broken) const {
  LoopParts named = parts();
  return llvm::createStringError("it has " + named.describe(body[broken.to]) + " before " +
                                 named.describe(body[broken.from]) +
                                 (broken.distance ? " of the iteration before" : "") + ", for which it has to wait");
}

bool tileas::hasScheduledProducts(scf::ForOp loop) {
  bool found = false;
  for (Operation &op : *loop.getBody()) {
    if (auto mma = dyn_cast<MmaOp>(op); mma && isByGroups(mma))
      found |= ringOf(mma.getLhs()) || ringOf(mma.getRhs());
    for (Region &region : op.getRegions())
      if (region
              .walk([](Operation *inner) {
                return isa<MmaOp, LoopLikeOpInterface>(inner) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted())
        return false;
  }
  return found;
}
