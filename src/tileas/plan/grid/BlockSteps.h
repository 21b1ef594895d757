// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By how much a number grows from one tile block to the next along an axis of the grid, where that is a constant.
//
// Example: with %x, %y, %z = block_id, `(%y * 1024 + %i) * 4 + %x * %stride` grows by 4096 along y, by an unknown
// number along x, and by 0 along z.
#ifndef TILEWRIGHT_TILEAS_PLAN_GRID_BLOCKSTEPS_H
#define TILEWRIGHT_TILEAS_PLAN_GRID_BLOCKSTEPS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tilewright::tileas {

class BlockSteps {
public:
  /// Axis 0, 1 or 2.
  explicit BlockSteps(unsigned axis) : axis(axis) {}

  /// Of a scalar, or of each element of a tile. Sums are taken not to wrap around.
  std::optional<int64_t> of(mlir::Value number);
  /// In bytes, of the first element of a load or store through a view or through pointers.
  std::optional<int64_t> ofAddress(mlir::Operation *access);

private:
  std::optional<int64_t> compute(mlir::Value number);

  unsigned axis;
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> known;
};

} // namespace tilewright::tileas

#endif
