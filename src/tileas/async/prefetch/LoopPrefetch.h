// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common parts of both rewrites that copy the tiles of later iterations to the stages of a pipeline.
#ifndef TILEWRIGHT_TILEAS_ASYNC_PREFETCH_LOOPPREFETCH_H
#define TILEWRIGHT_TILEAS_ASYNC_PREFETCH_LOOPPREFETCH_H

#include "tileas/async/LoopLoads.h"
#include "tileas/ir/Tileas.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tileas {

class LoopPrefetch {
protected:
  LoopPrefetch(mlir::scf::ForOp loop, const LoopLoads &found)
      : loop(loop), found(found), builder(loop), loc(loop.getLoc()), counter(loop.getInductionVar().getType()) {}

  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Value number(mlir::Type type, int64_t value);
  /// Whether more than so many iterations are left.
  mlir::Value moreThan(mlir::Value left, int64_t count);
  /// Sets `some` and `trips`.
  void countTrips();
  /// Sets the numbers that `nextStage` has, before the loop.
  void makeStageNumbers() { none = number(i32(), 0), one = number(i32(), 1); }
  /// The stage after this one of `count`.
  mlir::Value nextStage(mlir::Value stage, mlir::Value count);
  /// Replaces the loop by one that carries these values as well; its notes stay.
  mlir::scf::ForOp replaceLoop(mlir::ValueRange inits, const mlir::NewYieldValuesFn &next);
  /// The token that a load depends on, at the loop's begin.
  mlir::Value tokenBefore(TileLoad load);
  /// Copies the tile of a load, by threads of this layout, if the condition holds.
  void startCopy(unsigned index, TileLoad load, LayoutAttr copier, const mlir::IRMapping &mapping, mlir::Value stage,
                 mlir::Value condition);

  mlir::scf::ForOp loop;
  const LoopLoads &found;
  mlir::IRRewriter builder;
  mlir::Location loc;
  mlir::Type counter;
  mlir::Value none, one;                 // stages
  mlir::Value pipeline, some, trips;     // whether there is an iteration, and how many
  llvm::SmallVector<mlir::Value> tokens; // of each load
};

} // namespace tilewright::tileas

#endif
