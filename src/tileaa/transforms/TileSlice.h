// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_TILESLICE_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_TILESLICE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilewright::tileaa {

/// A slice of a tile: of dimension `dim` the `size` elements from `number` times `size` on, where `number` is the
/// iteration of a loop; all of the other dimensions.
struct TileSlice {
  int64_t dim, size;

  bool operator==(TileSlice other) const { return dim == other.dim && size == other.size; }

  mlir::RankedTensorType typeIn(mlir::RankedTensorType tile) const;
  /// Where a slice begins in its tile.
  mlir::Value offset(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number) const;
  /// Where it begins in a view, in which the tile begins at `start`.
  mlir::Value offsetFrom(mlir::Value start, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number) const;
};

/// The first dimension that has more than one element: those before it make no difference to the order of elements.
int64_t outermostDim(llvm::ArrayRef<int64_t> shape);

/// The operands of an operation that are sliced for a slice of its result; the others are used whole.
using SlicedOperands = llvm::SmallVector<std::pair<mlir::OpOperand *, TileSlice>>;

/// Nothing if a slice of the result is not that operation on slices.
std::optional<SlicedOperands> slicedOperands(mlir::Operation *op, TileSlice slice);

} // namespace tilewright::tileaa

#endif
