// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop's operations, annotated with their cost, as a problem of modulo scheduling, with two additional constraints:
//
// - All warpgroups of the CTA run the same loop and share the tensor core. Each reserves it for one contiguous time, so
//   that its products are consecutive, and the others have it while this one works on the results.
// - Products may be in any stage, but all other operations of an iteration are in one. Softmax that is split between
//   two steps of attention was slower on an H200 wherever it was split (573 to 610 TFLOP/s in place of 631): more
//   values are live when the next product starts.
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_LOOPPROBLEM_H
#define TILEWRIGHT_TILEAS_SCHEDULE_LOOPPROBLEM_H

#include "tileas/schedule/LoopDependences.h"
#include "tileas/schedule/ModuloScheduler.h"
#include "tileas/schedule/OperationCost.h"
#include "tileas/schedule/ScheduledLoop.h"

namespace tilewright::tileas {

class LoopProblem {
public:
  LoopProblem(mlir::scf::ForOp loop, const LoopDependences &found);

  /// Whether every operation has its cost.
  bool isMarked() const { return costs.size() == found.ops().size(); }
  struct Solution {
    llvm::SmallVector<ScheduleItem> schedule;
    /// Cycles of a step of a warpgroup alone: by the schedule, and in program order.
    int64_t cycles, serialCycles;
  };
  std::optional<Solution> solve() const;

private:
  void addEdges();
  void addValues();
  void addUnbroken();
  ModuloProblem withOthers() const;
  std::optional<Solution> solutionAt(const ModuloSchedule &times, int64_t serialCycles) const;

  mlir::scf::ForOp loop;
  const LoopDependences &found;
  llvm::SmallVector<OperationCost> costs; // by operation
  int64_t groups, registers;
  ModuloProblem problem;
  ScheduledLoop scheduled;
  std::optional<unsigned> work; // an operation that computes a tile; all of them have its stage
};

} // namespace tilewright::tileas

#endif
