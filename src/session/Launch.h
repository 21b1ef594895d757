// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_LAUNCH_H
#define TILEWRIGHT_SESSION_LAUNCH_H

#include "session/LoadEntry.h"

namespace tilewright::session {

/// The threads of this process. They are never joined: some may still run when the process ends.
Scheduler &scheduler();

/// values[i] points at the value of entry parameter i. On a GPU the launch may still run when this returns
/// (cuda::synchronize waits for it); elsewhere it has ended, and `stream` means nothing.
llvm::Expected<LaunchResult> launch(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                    const cuda::LaunchOptions &options);

/// The assert that failed, or the fault, of a launch of that kernel; nothing where it ended as it should.
std::optional<std::string> describeFailure(llvm::StringRef kernel, const LaunchResult &result);

} // namespace tilewright::session

#endif
