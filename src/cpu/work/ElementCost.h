// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_WORK_ELEMENTCOST_H
#define TILEWRIGHT_CPU_WORK_ELEMENTCOST_H

#include "machine/VectorUnit.h"
#include "mlir/IR/Operation.h"
#include "predict/Work.h"

namespace tilewright::cpu {

/// Instructions on vectors whose lanes have `bits` for an operation on numbers.
struct ElementCost {
  predict::Pipe pipe = predict::Pipe::Integer;
  double count = 1;
  unsigned bits = 32;
  double divisions = 0; // besides
};

/// Bits of an element of a tile, or of a single one, in memory.
unsigned elementBits(mlir::Type type);

/// Of an operation in the body of a loop; nothing of one that is free.
std::optional<ElementCost> costOf(mlir::Operation *op, const VectorUnit &unit);

} // namespace tilewright::cpu

#endif
