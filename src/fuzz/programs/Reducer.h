// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program small that shows something: a mismatch, a crash, a message. Every program it tries verifies.
//
// Each step is an edit of a copy: an operation replaced by a constant, by one of its operands, by what is in one of its
// regions; a carried value, an argument, half of an extent left out. A copy that still shows it becomes the program.
// Steps go on until none of them does.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_REDUCER_H
#define TILEWRIGHT_FUZZ_PROGRAMS_REDUCER_H

#include "fuzz/programs/Program.h"

namespace tilewright::programs {

struct ReduceStatistics {
  unsigned tried = 0, accepted = 0;
};

// `isInteresting` is asked about verified programs only. It has to hold of the program given.
ReduceStatistics reduceProgram(Program &program, llvm::function_ref<bool(Program &)> isInteresting);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_REDUCER_H
