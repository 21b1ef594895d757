// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_HOST_PROGRAM_H
#define TILEWRIGHT_CPP_HOST_PROGRAM_H

#include "cpp/host/Command.h"

namespace tilewright::cpp {

/// Compiles the sources of a command for the host, with the code of their kernels for all targets, and links them.
/// An error is empty where diagnostics have told it.
llvm::Error buildProgram(const Command &command);

/// The instances of kernels that the only source of a command launches. An error is empty likewise.
llvm::Expected<std::vector<std::string>> launchedInstances(const Command &command);

/// Runs Clang with the headers of tilewright-c++; its exit status.
int runClang(llvm::ArrayRef<std::string> arguments);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_HOST_PROGRAM_H
