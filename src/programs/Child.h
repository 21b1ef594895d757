// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program run in a process of its own, which may die or not end.
#ifndef TILEWRIGHT_PROGRAMS_CHILD_H
#define TILEWRIGHT_PROGRAMS_CHILD_H

#include "programs/Differential.h"

namespace tilewright::programs {

// What `run` reports; a mismatch that says so if the process died or took longer.
Report runInChild(llvm::function_ref<Report()> run, unsigned seconds);

} // namespace tilewright::programs

#endif // TILEWRIGHT_PROGRAMS_CHILD_H
