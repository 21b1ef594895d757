// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/order/StepOrder.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::tileas;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::SmallVector;

namespace {

// Operations get their places one after another.
class Step {
public:
  explicit Step(const StepProblem &problem)
      : stages(problem.stages), roles(problem.roles), before(stages.size(), BitVector(stages.size())),
        items(stages.size()), placed(stages.size()) {
    for (const Dependence &one : problem.dependences)
      if (isWithinStep(one))
        before[one.to].set(one.from);
    for (auto [op, role] : llvm::enumerate(roles))
      if (role.kind == StepRole::Start || role.kind == StepRole::Wait)
        items.set(op);
  }

  void addItem(unsigned op) { items.set(op); }
  void addOrder(unsigned first, unsigned second) { before[second].set(first); }
  void addWishes(ArrayRef<Dependence> wishes) {
    for (const Dependence &one : wishes)
      if (isWithinStep(one) && one.from != one.to && !needs(one.from, one.to))
        before[one.to].set(one.from);
  }

  // The operations without a place that it needs, and itself.
  BitVector coneOf(unsigned op) const {
    BitVector cone(stages.size());
    cone.set(op);
    SmallVector<unsigned> left{op};
    while (!left.empty())
      for (unsigned earlier : before[left.pop_back_val()].set_bits())
        if (!placed[earlier] && !cone.test(earlier))
          cone.set(earlier), left.push_back(earlier);
    return cone;
  }
  bool isPlaced(unsigned op) const { return placed[op]; }
  bool isComplete() const { return entries.size() == stages.size(); }

  void place(unsigned op) { placeReady(coneOf(op)); }
  void placeNumbers() {
    placeReady(among([&](unsigned op) { return !items[op] && roles[op].kind == StepRole::Number; }));
  }
  // Whether there was any on tiles.
  bool placeWork() {
    size_t count = entries.size();
    placeReady(among([&](unsigned op) { return !items[op]; }));
    return llvm::any_of(llvm::drop_begin(entries, count),
                        [&](const LoopSchedule::Entry &entry) { return roles[entry.op].kind == StepRole::Work; });
  }

  LoopSchedule take() { return LoopSchedule(std::move(entries)); }

private:
  // Other dependences are kept by the stages.
  bool isWithinStep(const Dependence &one) const { return stages[one.to] + one.distance == stages[one.from]; }
  bool needs(unsigned op, unsigned other) const { return coneOf(op).test(other); }
  BitVector among(llvm::function_ref<bool(unsigned)> isOne) const {
    BitVector found(stages.size());
    for (unsigned op = 0; op != stages.size(); ++op)
      found[op] = isOne(op);
    return found;
  }
  bool isReady(unsigned op) const {
    BitVector missing = before[op];
    missing.reset(placed);
    return !placed[op] && missing.none();
  }
  // All of a set, or as many as can be, the first in the program first.
  void placeReady(const BitVector &some) {
    auto all = llvm::seq<unsigned>(0, stages.size());
    while (true) {
      auto next = llvm::find_if(all, [&](unsigned op) { return roles[op].kind == StepRole::Release && isReady(op); });
      if (next == all.end())
        next = llvm::find_if(all, [&](unsigned op) { return some[op] && isReady(op); });
      if (next == all.end())
        return;
      placed.set(*next);
      entries.push_back({*next, stages[*next]});
    }
  }

  ArrayRef<unsigned> stages;
  ArrayRef<StepRole> roles;
  std::vector<BitVector> before; // by operation: its predecessors in the step
  BitVector items, placed;
  SmallVector<LoopSchedule::Entry> entries;
};

// Which item comes next, where units are to be busy.
class Overlap {
public:
  Overlap(const Step &step, ArrayRef<StepRole> roles) : step(step), roles(roles) {}

  std::optional<unsigned> start() const {
    return earliest([&](unsigned op) { return roles[op].kind == StepRole::Start && isPossible(op); });
  }
  std::optional<unsigned> wait() const {
    return earliest([&](unsigned op) { return roles[op].kind == StepRole::Wait && isPossible(op); });
  }

private:
  // Without another wait, and another start.
  bool isPossible(unsigned op) const {
    BitVector cone = step.coneOf(op);
    return llvm::none_of(cone.set_bits(), [&](unsigned each) {
      return each != op && (roles[each].kind == StepRole::Wait || roles[each].kind == StepRole::Start);
    });
  }
  std::optional<unsigned> earliest(llvm::function_ref<bool(unsigned)> isOne) const {
    std::optional<unsigned> best;
    for (unsigned op = 0; op != roles.size(); ++op)
      if (!step.isPlaced(op) && isOne(op) && (!best || roles[op].at < roles[*best].at))
        best = op;
    return best;
  }

  const Step &step;
  ArrayRef<StepRole> roles;
};

} // namespace

SmallVector<StepItem> tileas::overlapStep(const StepProblem &problem) {
  Step step(problem);
  step.addWishes(problem.wishes);
  Overlap overlap(step, problem.roles);
  SmallVector<StepItem> items;
  while (!step.isComplete()) {
    if (std::optional<unsigned> op = overlap.start()) {
      step.place(*op);
      items.push_back({ScheduleVerb::Start, *op});
    } else if (step.placeWork()) {
      items.push_back({ScheduleVerb::Work});
    } else if (!step.isComplete()) {
      unsigned wait = *overlap.wait();
      step.place(wait);
      items.push_back({ScheduleVerb::Wait, wait});
    }
  }
  return items;
}

std::optional<std::pair<unsigned, unsigned>> tileas::findEarlyItem(const StepProblem &problem,
                                                                   ArrayRef<StepItem> items) {
  Step step(problem);
  for (auto [place, item] : llvm::enumerate(items)) {
    if (item.verb == ScheduleVerb::Work)
      continue;
    BitVector cone = step.coneOf(item.op);
    for (const StepItem &later : items.drop_front(place + 1))
      if (later.verb != ScheduleVerb::Work && cone.test(later.op))
        return std::pair(item.op, later.op);
  }
  return std::nullopt;
}

LoopSchedule tileas::orderStep(const StepProblem &problem, ArrayRef<StepItem> items) {
  Step step(problem);
  std::optional<unsigned> last;
  for (const StepItem &item : items) {
    if (item.verb == ScheduleVerb::Work)
      continue;
    step.addItem(item.op);
    if (last)
      step.addOrder(*last, item.op);
    last = item.op;
  }
  step.addWishes(problem.wishes);
  for (const StepItem &item : items) {
    if (item.verb == ScheduleVerb::Work)
      step.placeWork();
    else if (item.verb == ScheduleVerb::Wait)
      step.placeNumbers(), step.place(item.op);
    else
      step.place(item.op);
  }
  step.placeWork();
  return step.take();
}
