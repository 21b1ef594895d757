// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/StageLayout.h"

#include "layout/memory/SharedAccess.h"
#include "layout/memory/SharedLayouts.h"

using namespace tilewright;
using namespace tilewright::tileas;
using layout::LinearLayout;

LinearLayout tileas::chooseStageLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                       int64_t elementBytes, llvm::ArrayRef<LinearLayout> wanted) {
  constexpr int64_t group = 16;
  int64_t row = shape[order.front()];
  std::optional<LinearLayout> best;
  unsigned least = ~0u;
  auto consider = [&](const LinearLayout &candidate) {
    unsigned cost = 0;
    for (const LinearLayout &layout : wanted)
      cost += layout::chooseSharedAccess(layout.withoutFreeRegisters(), candidate, layout::SharedDirection::Load,
                                         elementBytes * 8)
                  .score();
    if (cost < least)
      least = cost, best = candidate;
  };
  // A line of all banks has some rows, or is part of one: rows of one line have nothing to change among themselves. Of
  // equals the first: neighbouring rows in different places suit the most ways to read.
  int64_t perLine = std::max<int64_t>(1, layout::kBankSpan / (row * elementBytes));
  for (int64_t vector = group / elementBytes; vector < row; vector *= 2)
    for (int64_t phases = std::min<int64_t>(8, row / vector); phases >= 2; phases /= 2)
      for (int64_t perPhase : {perLine, 2 * perLine, 4 * perLine})
        consider(layout::swizzledShared(shape, order, {uint64_t(vector), uint64_t(perPhase), uint64_t(phases)}));
  consider(layout::plainShared(shape, order));
  return *best;
}
