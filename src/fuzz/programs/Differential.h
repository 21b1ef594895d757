// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program run in several ways, which have to agree: on every number of its buffers, on what it prints, on how it
// ends. The first way is the reference, by preference the interpreter.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_DIFFERENTIAL_H
#define TILEWRIGHT_FUZZ_PROGRAMS_DIFFERENTIAL_H

#include "fuzz/programs/Program.h"
#include "fuzz/programs/ways/Way.h"

namespace tilewright::programs {

enum class Verdict : uint8_t {
  Same,
  // A way has no code for something the program does, and says so.
  Refused,
  // Two ways disagree, or memory was touched that is no argument.
  Mismatch,
  // The program is not one: generated or read wrongly, or undefined.
  Invalid,
};

struct Report {
  Verdict verdict = Verdict::Same;
  std::string text; // the difference, and its first element
};

Report compare(const Source &source, llvm::ArrayRef<Way> ways);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_DIFFERENTIAL_H
