// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations: their operands in the order of the result, and the loop over elements.
#ifndef TILEWRIGHT_GPU_SIMULATOR_OPS_ELEMENTS_H
#define TILEWRIGHT_GPU_SIMULATOR_OPS_ELEMENTS_H

#include "gpu_simulator/Actor.h"
#include "interpreter/FloatFormat.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::simulator {

using interpreter::bitWidth;
using interpreter::FloatFormat;
using interpreter::formatOf;
using interpreter::signExtend;
using interpreter::truncate;

/// The operands of an operation, and the number of elements that the group computes.
struct Operands {
  Operands(mlir::Operation *op, Actor &actor) : holding(actor.holdingOf(op->getResult(0).getType())) {
    for (mlir::Value operand : op->getOperands()) {
      tiles.push_back(actor.tileAs(operand, holding));
      count = std::max(count, tiles.back().size());
    }
    if (holding)
      count = holding->size();
  }
  Bits operator()(unsigned operand, int64_t i) const { return tiles[operand].at(i); }
  int64_t integer(unsigned operand, int64_t i) const { return signExtend(tiles[operand].at(i), element(operand)); }
  Element element(unsigned operand) const { return tiles[operand].element; }

  const Holding *holding;
  llvm::SmallVector<Tile, 3> tiles;
  int64_t count = 1;
};

/// Sets a result to the elements compute(i), cut to its type.
template <typename Function>
void setElements(Actor &actor, mlir::Value result, const Operands &operands, Function compute) {
  Element element = elementOfType(result.getType());
  std::vector<Bits> bits(operands.count);
  Bits mask = llvm::maskTrailingOnes<Bits>(bitWidth(element));
  for (int64_t i = 0; i != operands.count; ++i)
    bits[i] = compute(i) & mask;
  actor.set(result, Tile(element, operands.holding, std::move(bits)));
}

/// Registers `Op`, whose element i is compute(operands, i).
template <typename Op, typename Function> void onElements(HandlerTable &table, Function compute) {
  table.on<Op>([compute](Op op, Actor &actor) {
    Operands operands(op, actor);
    setElements(actor, op->getResult(0), operands, [&](int64_t i) { return compute(operands, i); });
  });
}

} // namespace tilewright::simulator

#endif
