// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the operations within a step of the pipelined loop, once the stage of each is known. It is that of a few
// items; all other operations have places by rule:
//
//   start, wait, do     an operation, behind those that it needs and that have no place yet, in program order
//   work                all that need no further item, in program order
//   numbers             before a wait, those that need no further item and no tile
//   release             of a stage for which others wait: as soon as all that it needs has a place
//   the rest            as work, behind the last item
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_ORDER_STEPORDER_H
#define TILEWRIGHT_TILEAS_SCHEDULE_ORDER_STEPORDER_H

#include "tileas/ir/Tileas.h"
#include "tileas/schedule/order/LoopSchedule.h"

namespace tilewright::tileas {

/// The role of an operation in the order of a step.
struct StepRole {
  enum Kind {
    Work,   // on a tile
    Number, // whose time does not count
    Start,  // of an asynchronous operation; `at` is its cycle
    Wait,   // for an asynchronous operation; `at` is the cycle of its start
    Release // of a stage for which others wait
  } kind = Work;
  int64_t at = 0;
};

struct StepItem {
  ScheduleVerb verb;
  unsigned op = 0; // but of work

  bool operator==(const StepItem &other) const { return verb == other.verb && op == other.op; }
};

/// Operations by number, with their stages and roles, and the dependences between them. `wishes` are soft dependences,
/// kept where the others permit it.
struct StepProblem {
  llvm::ArrayRef<unsigned> stages;
  llvm::ArrayRef<StepRole> roles;
  llvm::ArrayRef<Dependence> dependences, wishes;
};

/// The items of a step in which units are never idle while a thread can give them work: asynchronous operations are
/// started first, in the order in which their units execute them, and waits for them come last.
///
///   start 1, start 0 of the previous iteration, wait 1, work, wait 0
llvm::SmallVector<StepItem> overlapStep(const StepProblem &problem);

/// The first item that stands before another one that it depends on, by their operations.
std::optional<std::pair<unsigned, unsigned>> findEarlyItem(const StepProblem &problem, llvm::ArrayRef<StepItem> items);
/// The order by items of which none is early. All that start or wait are among them.
LoopSchedule orderStep(const StepProblem &problem, llvm::ArrayRef<StepItem> items);

} // namespace tilewright::tileas

#endif
