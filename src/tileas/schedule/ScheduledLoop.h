// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a loop from the words of a plan (tileas/ir/ScheduleItem.h), which name its products and few other
// operations. All others have their stages by rule:
//
//   tiles                   are computed in the iteration of `work`
//   numbers, waits for      in the iteration that uses them
//     loads, buffers
//   releases of loads       as soon as all that reads them is done
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_SCHEDULEDLOOP_H
#define TILEWRIGHT_TILEAS_SCHEDULE_SCHEDULEDLOOP_H

#include "tileas/schedule/LoopDependences.h"
#include "tileas/schedule/order/StepOrder.h"

namespace tilewright::tileas {

/// A product that runs, the wait for it, and the stage of both.
struct RunningProduct {
  unsigned start, wait, stage = 0;
};

class ScheduledLoop {
public:
  explicit ScheduledLoop(const LoopDependences &found);

  /// Without stages.
  llvm::ArrayRef<RunningProduct> products() const { return running; }
  llvm::SmallVector<unsigned> stagesOf(llvm::ArrayRef<RunningProduct> products, unsigned work) const;

  /// By words that are some of the loop (LoopParts). An error where they break a dependence.
  llvm::Expected<LoopSchedule> follow(llvm::ArrayRef<ScheduleItem> items) const;
  /// The words of a schedule in which units are busy, by the stages of all operations and the cycles at which products
  /// start.
  llvm::SmallVector<ScheduleItem> overlap(llvm::ArrayRef<unsigned> stages, llvm::ArrayRef<int64_t> starts,
                                          unsigned work) const;

private:
  void addWishes();
  llvm::SmallVector<StepRole> rolesAt(llvm::ArrayRef<int64_t> starts) const;

  const LoopDependences &found;
  llvm::SmallVector<RunningProduct> running;
  llvm::SmallVector<Dependence> wishes;
};

/// Whether a tile is computed by threads.
bool computesTile(mlir::Operation *op);

/// The operand of a product that runs, if it is in registers: they are the product's until it is waited for.
bool holdsRegisters(MmaOp running, mlir::Value operand);

} // namespace tilewright::tileas

#endif
