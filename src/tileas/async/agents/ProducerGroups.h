// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_AGENTS_PRODUCERGROUPS_H
#define TILEWRIGHT_TILEAS_ASYNC_AGENTS_PRODUCERGROUPS_H

#include "tileas/async/ProducerLoad.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// Loads that are needed at the same time, since the same operation reads them first.
struct ProducerGroup {
  llvm::SmallVector<ProducerLoad, 2> loads;
  unsigned ring; // its number among the rings of the function

  mlir::Block *block() const { return loads.front().load()->getBlock(); }
  /// Of each load, whether the producer's threads fill its buffer.
  llvm::SmallVector<bool> byThreads() const;
  bool hasGathered() const;
  mlir::Operation *firstUse() const { return loads.front().firstUse; }
  mlir::Operation *lastUse() const;
};

/// The loads of a function that a producer can stage, in groups that it can stage as a whole.
std::vector<ProducerGroup> findProducerGroups(mlir::func::FuncOp function);

/// The outermost loop around an operation; null where there is none.
mlir::Operation *outermostLoop(mlir::Operation *op);

} // namespace tilewright::tileas

#endif
