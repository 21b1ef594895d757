// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_PLANS_PLANEDITS_H
#define TILEWRIGHT_FUZZ_PROGRAMS_PLANS_PLANEDITS_H

#include "machine/Architecture.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilewright::programs {

/// The text of the compiler's plan of a module with one to three decisions of other values, drawn by the seed,
/// schedules among them. All are values that their kinds have, but the kernel may be unable to follow them.
llvm::Expected<std::string> drawPlan(llvm::StringRef module, const nvidia::Architecture &architecture, uint64_t seed);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_PLANS_PLANEDITS_H
