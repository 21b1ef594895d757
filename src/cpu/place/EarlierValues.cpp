// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/EarlierValues.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilewright;

bool cpu::canBeKnownBefore(ValueRange values, Operation *point, DominanceInfo &dominance) {
  return llvm::all_of(values, [&](Value value) {
    if (dominance.properlyDominates(value, point))
      return true;
    Operation *op = value.getDefiningOp();
    return op && op != point && op->getBlock() == point->getBlock() && isMemoryEffectFree(op) &&
           canBeKnownBefore(op->getOperands(), point, dominance);
  });
}

LogicalResult cpu::makeKnownBefore(ValueRange values, Operation *point, DominanceInfo &dominance) {
  SmallVector<Value> later =
      llvm::filter_to_vector(values, [&](Value value) { return !dominance.properlyDominates(value, point); });
  IRRewriter rewriter(point->getContext());
  return later.empty() ? success() : moveValueDefinitions(rewriter, later, point, dominance);
}
