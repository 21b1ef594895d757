// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of elementwise operations: the loop over elements, and reporting undefined ones.
#ifndef TILEWRIGHT_INTERPRETER_OPS_ELEMENTWISE_H
#define TILEWRIGHT_INTERPRETER_OPS_ELEMENTWISE_H

#include "interpreter/Handlers.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

namespace tilewright::interpreter {

/// Sets `result` to the tile whose element i is compute(i), cut to the width of its type.
template <typename Function> llvm::Error setElements(Context &context, mlir::Value result, Function compute) {
  Tile tile(llvm::cast<cuda_tile::TileType>(result.getType()));
  Bits mask = llvm::maskTrailingOnes<Bits>(bitWidth(tile.element));
  for (int64_t i = 0, size = tile.size(); i < size; ++i) {
    tile.bits[i] = compute(i) & mask;
  }
  context.set(result, std::move(tile));
  return llvm::Error::success();
}

/// Calls `function` with the comparison of two numbers that a predicate names.
template <typename Function> llvm::Error withComparison(cuda_tile::ComparisonPredicate predicate, Function function) {
  switch (predicate) {
  case cuda_tile::ComparisonPredicate::Equal:
    return function(std::equal_to<>());
  case cuda_tile::ComparisonPredicate::NotEqual:
    return function(std::not_equal_to<>());
  case cuda_tile::ComparisonPredicate::LessThan:
    return function(std::less<>());
  case cuda_tile::ComparisonPredicate::LessThanOrEqual:
    return function(std::less_equal<>());
  case cuda_tile::ComparisonPredicate::GreaterThan:
    return function(std::greater<>());
  case cuda_tile::ComparisonPredicate::GreaterThanOrEqual:
    return function(std::greater_equal<>());
  }
  llvm_unreachable("a predicate");
}

/// Reports the first element for which isUndefined(i) holds, with the operands it has: `what` is as in
/// "division by zero". Costs nothing without a monitor.
template <typename Function>
void reportUndefined(Context &context, mlir::Operation *op, const llvm::Twine &what, Function isUndefined) {
  if (!context.monitor) {
    return;
  }
  int64_t size = context.tile(op->getOperand(0)).size();
  for (int64_t i = 0; i < size; ++i) {
    if (isUndefined(i)) {
      context.violated(op, Violation::Arithmetic, what + (size > 1 ? " in element " + llvm::Twine(i) : llvm::Twine()));
      return;
    }
  }
}

} // namespace tilewright::interpreter

#endif
