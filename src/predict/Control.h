// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over control flow. `of` gives what a region amounts to where the evaluator is, and `sum.add(part, times)` adds
// it.
#ifndef TILEWRIGHT_PREDICT_CONTROL_H
#define TILEWRIGHT_PREDICT_CONTROL_H

#include "predict/Tile.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright::predict {

/// Loops of loops have at most so many iterations looked at, others two: one of all but the last, and the last.
constexpr int64_t mostIterations = 6;

template <typename Sum, typename Of>
void addLoop(const Work &work, const Step &loop, Evaluator &evaluate, Sum &sum, Of of) {
  std::optional<int64_t> trips = tripsOf(loop, evaluate);
  const Region &body = work.regions[loop.regions[0]];
  sum.isComplete &= trips.has_value();
  int64_t count = trips.value_or(1);
  if (count == 0)
    return;
  auto iteration = [&](int64_t number) {
    enterIteration(loop, number, evaluate);
    return of(body);
  };
  bool isNest = llvm::any_of(body.steps, [](const Step &inner) { return !inner.regions.empty(); });
  int64_t samples = std::min(isNest ? mostIterations : 2, count);
  // The last one stands for itself, the others for equal parts of the rest.
  for (int64_t sample = 0; sample + 1 < samples; ++sample)
    sum.add(iteration(sample * (count - 1) / (samples - 1)), double(count - 1) / (samples - 1));
  sum.add(iteration(count - 1), 1);
}

/// Both sides count half where the condition is not known.
template <typename Sum, typename Of>
void addBranch(const Work &work, const Step &branch, Evaluator &evaluate, Sum &sum, Of of) {
  ScalarValue condition = evaluate(branch.first);
  for (auto [number, region] : llvm::enumerate(branch.regions))
    if (!condition.isKnown || bool(condition.number) == (number == 0))
      sum.add(of(work.regions[region]), condition.isKnown ? 1 : 0.5);
}

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_CONTROL_H
