// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random legal programs. A seed is a program: the same on every machine and in every process.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_GENERATOR_H
#define TILEWRIGHT_FUZZ_PROGRAMS_GENERATOR_H

#include "fuzz/programs/Program.h"

namespace tilewright::programs {

// A verified module with one entry, `main`, without undefined behaviour, whose results do not depend on the order in
// which blocks run.
//
// With `large`, it begins with a loop of products, whose tiles have up to 256x256 elements: for ways that compile only.
Program generate(uint64_t seed, mlir::MLIRContext *context, bool large = false);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_GENERATOR_H
