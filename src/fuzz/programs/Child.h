// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program run in a process of its own, which may die or not end.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_CHILD_H
#define TILEWRIGHT_FUZZ_PROGRAMS_CHILD_H

#include "fuzz/programs/Differential.h"
#include <sys/types.h>

namespace tilewright::programs {

// The report of `run`; a mismatch that says so if the process died or timed out.
Report runInChild(llvm::function_ref<Report()> run, unsigned seconds);

// Whether a process has had its time: so many seconds of a processor, or twenty times as many of a busy machine that
// gives it none. `used` is what it had used before.
bool isOverdue(pid_t process, double used, double seconds, double limit);
// Seconds of a processor that a process has used.
double usedSeconds(pid_t process);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_CHILD_H
