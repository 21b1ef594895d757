// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the operations of a turn, once it is known of which iteration each is. What the units are to do is
// started first, in the order in which they are to do it; what has to wait for them comes last, and between them
// everything else as the program has it: that is what a thread does meanwhile.
//
//   start product 1, start product 0 of the iteration before, [wait 1], work on 1, [wait 0], what needs 0
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_TURNORDER_H
#define TILEWRIGHT_TILEAS_SCHEDULE_TURNORDER_H

#include "tileas/schedule/LoopSchedule.h"

namespace tilewright::tileas {

/// What an operation is to the order of a turn.
struct TurnRole {
  enum Kind {
    Work,
    Start,  // of what a unit does by itself; `at` is when
    Wait,   // for such; `at` is when that starts
    Release // that others wait for
  } kind = Work;
  int64_t at = 0;
};

/// `stages` and `roles` by operation. `wishes` are dependences that are kept where the others leave room.
LoopSchedule orderTurn(llvm::ArrayRef<unsigned> stages, llvm::ArrayRef<TurnRole> roles,
                       llvm::ArrayRef<Dependence> dependences, llvm::ArrayRef<Dependence> wishes);

} // namespace tilewright::tileas

#endif
