// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/order/LoopSchedule.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilewright::tileas;

LoopSchedule::LoopSchedule(llvm::SmallVector<Entry> all) : entries(std::move(all)), places(entries.size()) {
  for (auto [place, entry] : llvm::enumerate(entries)) {
    places[entry.op] = place;
    count = std::max(count, entry.stage + 1);
  }
}

const Dependence *LoopSchedule::findBroken(llvm::ArrayRef<Dependence> dependences) const {
  auto found = llvm::find_if(dependences, [&](const Dependence &one) {
    int64_t steps = int64_t(stageOf(one.to)) + one.distance - stageOf(one.from);
    return steps < 0 || (steps == 0 && placeOf(one.from) >= placeOf(one.to));
  });
  return found == dependences.end() ? nullptr : found;
}
