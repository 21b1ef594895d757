// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the operations within a step of the pipelined loop, once the stage of each is known. Asynchronous
// operations are started first, in the order in which their units execute them; waits for them come last, and all other
// operations between them in program order, so that the thread works while the units do.
//
//   start product 1, start product 0 of the previous iteration, [wait 1], uses of 1, [wait 0], uses of 0
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_STEPORDER_H
#define TILEWRIGHT_TILEAS_SCHEDULE_STEPORDER_H

#include "tileas/ir/LoopSchedule.h"

namespace tilewright::tileas {

/// The role of an operation in the order of a step.
struct StepRole {
  enum Kind {
    Work,
    Start,  // of an asynchronous operation; `at` is its cycle
    Wait,   // for an asynchronous operation; `at` is the cycle of its start
    Release // of a stage for which others wait
  } kind = Work;
  int64_t at = 0;
};

/// `stages` and `roles` by operation. `wishes` are soft dependences, kept where the others permit it.
LoopSchedule orderStep(llvm::ArrayRef<unsigned> stages, llvm::ArrayRef<StepRole> roles,
                       llvm::ArrayRef<Dependence> dependences, llvm::ArrayRef<Dependence> wishes);

} // namespace tilewright::tileas

#endif
