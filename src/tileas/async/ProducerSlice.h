// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that a producer needs for its loads: those that compute addresses, bounds of enclosing loops,
// conditions.
//
// A producer of one thread computes with scalars, and loads them: the number of a page, say. In a producer that
// gathers, all threads hold tiles, which each thread computes from scalars and from its own loads; no values are
// exchanged between threads:
//
//   %s, %t = tileaa.load_view %slots[%i]                      %r, %u = tileaa.load_view %slots[%i] -> #m'
//   %r = tileas.convert_layout %s : #l to #m           -->    %q = arith.divsi %r, %six : #m'
//   %q = arith.divsi %r, %six : #m
//
// where #m' is #m in as many warps as the producer has.
#ifndef TILEWRIGHT_TILEAS_ASYNC_PRODUCERSLICE_H
#define TILEWRIGHT_TILEAS_ASYNC_PRODUCERSLICE_H

#include "tileas/async/LoopLoads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

class ProducerSlice {
public:
  ProducerSlice(mlir::func::FuncOp function, bool hasTiles) : function(function), hasTiles(hasTiles) {}

  /// False where the producer cannot know whether or where the load is.
  bool addLoad(TileLoad load);
  /// Whether all threads of the producer run it, not one.
  bool isOfAllThreads() const { return hasTiles; }
  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  bool contains(mlir::Value value) const { return values.contains(value); }

  /// The copy of such an operation in a producer of so many warps.
  static void copy(mlir::Operation *op, unsigned warps, mlir::IRMapping &mapping, mlir::OpBuilder &builder);

private:
  bool addAll(mlir::ValueRange range);
  bool addParents(mlir::Operation *op);
  bool add(mlir::Value value);
  bool canCompute(mlir::Operation *op);
  bool comesFirst(mlir::Value token);

  mlir::func::FuncOp function;
  bool hasTiles;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> values;
};

} // namespace tilewright::tileas

#endif
