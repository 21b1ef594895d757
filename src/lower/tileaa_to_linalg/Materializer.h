// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions of a function lie in memory, and the loops that put them there.
//
// Example: in `%e = math.exp %x`, `%m = tileaa.reduce %e`, `%q = arith.divf %e, %m2`, %e is dear and used twice, so it
// is stored: the reduction's loop computes and writes it, and the loop of %q reads it. Of `%d = arith.subf %x, %b`,
// used once, nothing is stored: it is part of the loop of its user.
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_LINALG_MATERIALIZER_H
#define TILEWRIGHT_LOWER_TILEAA_TO_LINALG_MATERIALIZER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

class Materializer {
public:
  /// Chooses the tiles to materialize.
  explicit Materializer(mlir::func::FuncOp function);

  /// A tile lies in memory if no expression computes it, or if it was chosen to.
  bool isStored(mlir::Value tile) const;
  /// Whether the tile was chosen to be stored and no loop writes it yet.
  bool isAwaited(mlir::Value tile) const { return chosen.contains(tile) && !loops.contains(tile); }
  /// The result of a loop is the awaited tile.
  void setLoop(mlir::Value tile, mlir::Value result) { loops[tile] = result; }

  /// Stores the result of an expression where it stands, if it is awaited; its first user does so where it can.
  void storeInPlace(mlir::Operation *op);
  /// The tile in memory; `before` is where it is needed, by default right after it.
  mlir::Value materialize(mlir::Value tile, mlir::Operation *before = nullptr);
  /// The buffer or value in memory of a tile that is stored.
  mlir::Value stored(mlir::Value tile) const;

  /// A loop over `type`, whose elements `body` computes from the elements of `tiles`. `written` is the tile that it
  /// computes although that tile is materialized.
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;
  mlir::linalg::GenericOp buildLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                                    llvm::ArrayRef<mlir::Value> tiles, Body body, mlir::Value written = {}) const;

  /// Removes the expressions that the loops compute now and that have no users left.
  void eraseExpressions();

private:
  bool isHoisted(mlir::Operation *op) const;
  int64_t recomputationCost(mlir::Value tile) const;
  bool isWrittenByReduction(mlir::Value tile) const;

  mlir::func::FuncOp function;
  llvm::DenseSet<mlir::Value> chosen;
  llvm::DenseMap<mlir::Value, mlir::Value> loops;
};

/// The dimensions d0, d1, ... of a loop.
llvm::SmallVector<mlir::AffineExpr> loopDims(mlir::MLIRContext *context, int64_t count);

} // namespace tilewright

#endif
