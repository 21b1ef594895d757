// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many stages of a pipeline each side goes through: a polynomial over the trip counts of loops.
//
//   producer    for %i = %a to %b { commit }                        trips(%a, %b)
//   consumers   release; for %i = %a + 1 to %b { release }          1 + (trips(%a, %b) - 1)
#ifndef TILEWRIGHT_TILEAS_VERIFY_PIPELINEROUNDS_H
#define TILEWRIGHT_TILEAS_VERIFY_PIPELINEROUNDS_H

#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// Whether it is certain that the producer fills another number of stages than the consumers release, so that one side
/// waits forever: both numbers are known, and over the same loops.
bool haveDifferentRounds(CreatePipelineOp create, AgentsOp agents);

} // namespace tilewright::tileas

#endif
