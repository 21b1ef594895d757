// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_COMPILELEVEL_H
#define TILEWRIGHT_SESSION_COMPILELEVEL_H

#include "session/Settings.h"

namespace tilewright::session {

/// The module at a level of the target, or as the target's code for an empty one. A shared library (`so`) is linked. An
/// error is a UsageError, a GuardFailure, or the diagnostics of a module that is refused.
llvm::Expected<std::string> compileLevel(llvm::StringRef target, llvm::StringRef level, llvm::StringRef module,
                                         const Settings &settings);

} // namespace tilewright::session

#endif
