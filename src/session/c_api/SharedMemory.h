// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_C_API_SHAREDMEMORY_H
#define TILEWRIGHT_SESSION_C_API_SHAREDMEMORY_H

#include "interpreter/check/Checker.h"
#include "runtime/Image.h"

namespace tilewright::c_api {

/// The arrays behind the pointers of a launch in checked mode, one for each piece of shared memory. An error for a
/// pointer to other memory, whose end nothing knows.
llvm::Expected<std::vector<interpreter::CheckedArray>> sharedArrays(const EntryInfo &info,
                                                                    llvm::ArrayRef<void *> values);

} // namespace tilewright::c_api

#endif
