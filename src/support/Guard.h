// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM ends the process on some legal input (report_fatal_error, a crash in instruction selection). A compilation
// therefore runs on a thread of its own under crash recovery; what went wrong comes back as an Error. After a crash
// everything the body owned is leaked: its state is not known.
#ifndef TILEWRIGHT_SUPPORT_GUARD_H
#define TILEWRIGHT_SUPPORT_GUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilewright {

llvm::Error runGuarded(llvm::function_ref<llvm::Error()> body);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_GUARD_H
