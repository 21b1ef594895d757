// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_COMPILELEVEL_H
#define TILEWRIGHT_SESSION_COMPILELEVEL_H

#include "session/Settings.h"

namespace tilewright::session {

/// The output of a compilation to a level.
struct CompiledLevel {
  std::string bytes;
  /// Warnings, and with the option `remarks` the remarks of passes, for a terminal.
  std::string remarks;
  /// C declarations of the entries of an object or shared library, else empty.
  std::string header;
};

/// Compiles a module to a level of the target, or to the target's code if `level` is empty. A shared library (`so`) is
/// linked. An error is a UsageError, a GuardFailure, or the diagnostics of a module that is refused.
llvm::Expected<CompiledLevel> compileLevel(llvm::StringRef target, llvm::StringRef level, llvm::StringRef module,
                                           const Settings &settings);

} // namespace tilewright::session

#endif
