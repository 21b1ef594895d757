// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop's operations, marked with what they cost, as a problem of modulo scheduling. Two things besides:
//
// - The other warpgroups of the block do the same. What they have the tensor core for is in one piece, so that a
//   warpgroup's products come one after another, and while it works on results, the tensor core is the others'.
// - Products are of the turns that suit them, but what a thread computes for an iteration it does in one turn. Softmax
//   that is split between two turns of attention was slower on an H200 wherever it was split (573 to 610 TFLOP/s in
//   place of 631): more values are there at a time when the next product starts.
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_LOOPPROBLEM_H
#define TILEWRIGHT_TILEAS_SCHEDULE_LOOPPROBLEM_H

#include "tileas/schedule/LoopDependences.h"
#include "tileas/schedule/ModuloScheduler.h"
#include "tileas/schedule/OperationCost.h"
#include "tileas/schedule/TurnOrder.h"

namespace tilewright::tileas {

class LoopProblem {
public:
  LoopProblem(mlir::scf::ForOp loop, const LoopDependences &found);

  /// Whether every operation has its mark.
  bool isMarked() const { return costs.size() == found.ops().size(); }
  struct Solution {
    LoopSchedule schedule;
    /// Of a turn, of a warpgroup alone: by the schedule, and as the program has it.
    int64_t cycles, serialCycles;
  };
  std::optional<Solution> solve() const;

private:
  void addEdges();
  void addValues();
  void addUnbroken();
  /// The definition of the value, `distance` iterations ago: through operations that only reinterpret it.
  LoopDependences::Source rootOf(LoopDependences::Source source) const;
  ModuloProblem withOthers() const;
  void bringToUses(llvm::MutableArrayRef<unsigned> stages) const;

  mlir::scf::ForOp loop;
  const LoopDependences &found;
  llvm::SmallVector<OperationCost> costs; // by operation
  int64_t groups, registers;
  ModuloProblem problem;
  llvm::SmallVector<std::pair<unsigned, unsigned>> products; // that are left running, and what waits for them
  llvm::SmallVector<Dependence> wishes;
};

} // namespace tilewright::tileas

#endif
