// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_LAUNCH_H
#define TILEWRIGHT_SESSION_LAUNCH_H

#include "session/Execute.h"

namespace tilewright::session {

/// The threads of this process. They are never joined: some may still run when the process ends.
Scheduler &scheduler();

/// values[i] points at the value of entry parameter i. On a GPU, where `gpu` holds, the launch may still run when this
/// returns (cuda::synchronize waits for it); elsewhere it has ended. `execution` is for entries without code.
llvm::Expected<LaunchResult> launch(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                    const cuda::LaunchOptions &gpu, const ExecuteOptions &execution);

/// A launch that is all there is to do with its arrays, which are in host memory: a GPU gets copies of them, and gives
/// back those that are written. values[i] has the bits of parameter i, for a pointer an address inside of an array.
llvm::Expected<LaunchResult> launchOnArrays(const LoadedEntry &entry, llvm::MutableArrayRef<uint64_t> values, Grid grid,
                                            llvm::ArrayRef<interpreter::CheckedArray> arrays, ExecuteOptions execution);

/// The assert that failed, or the fault, of a launch of that kernel; nothing where it ended as it should.
std::optional<std::string> describeFailure(llvm::StringRef kernel, const LaunchResult &result);

} // namespace tilewright::session

#endif
