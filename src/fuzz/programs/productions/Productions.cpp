// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/productions/Productions.h"

namespace tilewright::programs {

const Productions &allProductions() {
  static const Productions productions = [] {
    Productions all;
    for (auto add : {addArithmetic, addConversions, addShapes, addMemory, addViews, addAtomics, addFolds, addProducts,
                     addControl, addHost})
      add(all);
    return all;
  }();
  return productions;
}

void fill(Body &body) {
  const Productions &productions = allProductions();
  std::vector<unsigned> ends; // of the stretch of numbers that picks a production
  unsigned total = 0;
  for (auto [index, production] : llvm::enumerate(productions))
    ends.push_back(total += body.isOff[index] ? 0 : production.weight);
  // A production that cannot be applied here costs budget as well, so that the loop ends.
  while (body.budget > 0) {
    --body.budget;
    auto chosen = llvm::upper_bound(ends, body.random.below(total));
    productions[chosen - ends.begin()].write(body);
  }
}

} // namespace tilewright::programs
