// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/StepOrder.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>

using namespace tilewright;
using namespace tilewright::tileas;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::SmallVector;

namespace {

class Ordering {
public:
  Ordering(ArrayRef<unsigned> stages, ArrayRef<StepRole> roles)
      : stages(stages), roles(roles), before(stages.size(), BitVector(stages.size())) {}

  // Only dependences within one step matter.
  void add(const Dependence &one, bool isWish) {
    if (stages[one.to] + one.distance != stages[one.from] ||
        (isWish && (one.from == one.to || hasPath(one.to, one.from))))
      return;
    before[one.to].set(one.from);
  }

  LoopSchedule run() {
    BitVector placed(stages.size());
    SmallVector<LoopSchedule::Entry> entries;
    while (entries.size() != stages.size()) {
      auto starts = earliestStarts(placed);
      // The least of the operations whose predecessors are placed.
      std::optional<std::tuple<int, int64_t, unsigned>> best;
      for (unsigned op = 0; op != stages.size(); ++op) {
        if (placed[op] || !allPlaced(op, placed))
          continue;
        std::tuple<int, int64_t, unsigned> key{3, 0, op};
        if (roles[op].kind == StepRole::Release)
          key = {0, 0, op};
        else if (starts[op] != INT64_MAX)
          key = {1, starts[op], op};
        else if (roles[op].kind == StepRole::Wait)
          key = {4, roles[op].at, op};
        if (!best || key < *best)
          best = key;
      }
      unsigned op = std::get<2>(*best);
      placed.set(op);
      entries.push_back({op, stages[op]});
    }
    return LoopSchedule(std::move(entries), stages.size());
  }

private:
  bool allPlaced(unsigned op, const BitVector &placed) const {
    BitVector missing = before[op];
    missing.reset(placed);
    return missing.none();
  }
  bool hasPath(unsigned from, unsigned to) const {
    BitVector seen(stages.size());
    SmallVector<unsigned> left{to};
    while (!left.empty()) {
      unsigned op = left.pop_back_val();
      if (op == from)
        return true;
      for (unsigned earlier : before[op].set_bits())
        if (!seen.test(earlier))
          seen.set(earlier), left.push_back(earlier);
    }
    return false;
  }
  // By operation: the cycle of the earliest start that depends on it without a wait in between.
  SmallVector<int64_t> earliestStarts(const BitVector &placed) const {
    SmallVector<int64_t> starts(stages.size(), INT64_MAX);
    for (unsigned op = 0; op != stages.size(); ++op) {
      if (placed[op] || roles[op].kind != StepRole::Start)
        continue;
      BitVector cone(stages.size());
      cone.set(op);
      SmallVector<unsigned> left{op};
      bool waits = false;
      while (!left.empty() && !waits) {
        unsigned now = left.pop_back_val();
        waits = roles[now].kind == StepRole::Wait;
        for (unsigned earlier : before[now].set_bits())
          if (!placed[earlier] && !cone.test(earlier))
            cone.set(earlier), left.push_back(earlier);
      }
      if (!waits)
        for (unsigned each : cone.set_bits())
          starts[each] = std::min(starts[each], roles[op].at);
    }
    return starts;
  }

  ArrayRef<unsigned> stages;
  ArrayRef<StepRole> roles;
  std::vector<BitVector> before; // by operation: its predecessors in the step
};

} // namespace

LoopSchedule tileas::orderStep(ArrayRef<unsigned> stages, ArrayRef<StepRole> roles, ArrayRef<Dependence> dependences,
                               ArrayRef<Dependence> wishes) {
  Ordering ordering(stages, roles);
  for (const Dependence &one : dependences)
    ordering.add(one, /*isWish=*/false);
  for (const Dependence &one : wishes)
    ordering.add(one, /*isWish=*/true);
  return ordering.run();
}
