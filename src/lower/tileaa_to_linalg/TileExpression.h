// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile that need not exist in memory is an expression: it is computed, element by element, inside the loops that
// use it. `TileExpression` builds such a loop's body.
//
// Example: for `%r = arith.mulf %x, %b` with `%b = tileaa.broadcast %v : tensor<64x1xf32> -> tensor<64x64xf32>`
// and loop dimensions (d0, d1), asking for `%r` at (d0, d1) asks for `%x` at (d0, d1), which exists and becomes an
// input with that indexing map, and for `%v` at (d0, 0), likewise; the body multiplies.
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_LINALG_TILEEXPRESSION_H
#define TILEWRIGHT_LOWER_TILEAA_TO_LINALG_TILEEXPRESSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {

/// Whether the op computes each element of its result tile from the same element of its operands.
bool isElementwiseTileOp(mlir::Operation *op);

/// Whether a tile can be recomputed for nothing: a constant, an iota, a repeated scalar, or another order of such.
bool isFreeTile(mlir::Value tile);

/// Whether the value is computed by an op that leaves no tile in memory by itself (elementwise work or a change of
/// coordinates), so that a loop may compute it.
bool isExpression(mlir::Value tile);

class TileExpression {
public:
  /// `exists(tile)` says that a tile lies in memory and is read, not computed.
  TileExpression(int64_t numLoops, llvm::function_ref<bool(mlir::Value)> exists) : numLoops(numLoops), exists(exists) {}

  /// Finds the inputs of `tile` at the given coordinates (affine in the loop dimensions).
  void collect(mlir::Value tile, llvm::ArrayRef<mlir::AffineExpr> coordinates);

  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs; }
  llvm::ArrayRef<mlir::AffineMap> getInputMaps() const { return maps; }

  /// Emits the scalar computation of `tile` at the coordinates into the body of the loop; `inputArgs` are the body's
  /// arguments for `getInputs()`.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Value tile, llvm::ArrayRef<mlir::AffineExpr> coordinates,
                   mlir::ValueRange inputArgs);

private:
  using Key = std::pair<mlir::Value, mlir::AffineMap>;
  Key makeKey(mlir::Value tile, llvm::ArrayRef<mlir::AffineExpr> coordinates) const;

  int64_t numLoops;
  llvm::function_ref<bool(mlir::Value)> exists;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::MapVector<Key, unsigned> inputOf;
  llvm::DenseMap<Key, bool> visited;
  llvm::DenseMap<Key, mlir::Value> emitted;
};

} // namespace tilewright

#endif
