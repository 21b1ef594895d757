// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of an operation for one warpgroup that has a multiprocessor to itself, in cycles: of the thread's issue
// slots, of the unit that executes it, and until its result is available. A warpgroup has one warp on each of the four
// schedulers.
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_OPERATIONCOST_H
#define TILEWRIGHT_TILEAS_SCHEDULE_OPERATIONCOST_H

#include "machine/Performance.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

constexpr unsigned unitCount = getMaxEnumValForUnit() + 1;

struct OperationCost {
  Unit unit = Unit::Thread;
  int64_t issue = 0;   // of the thread
  int64_t cycles = 0;  // of the unit, if it is not the thread
  int64_t latency = 0; // from its start until its result can be used

  CostAttr toAttribute(mlir::MLIRContext *context) const;
  static std::optional<OperationCost> of(mlir::Operation *op);
};

/// How many different values a thread has of it: of a tile that was made wider fewer than registers.
int64_t distinctValues(mlir::Value value);
/// Registers of a thread for these.
int64_t registersFor(mlir::Value value);
OperationCost costOf(mlir::Operation *op, const nvidia::Performance &rates);

} // namespace tilewright::tileas

#endif
