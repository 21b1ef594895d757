// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a source for the host: its kernels become functions that launch them.
#ifndef TILEWRIGHT_CPP_HOST_HOSTCODE_H
#define TILEWRIGHT_CPP_HOST_HOSTCODE_H

#include "cpp/Invocation.h"

#include <functional>
#include <optional>

namespace tilewright::cpp {

/// The code of all kernels of the source, for those instances that the host's code launches besides those that the
/// source itself asks for. Nothing after diagnostics.
using MakeBundle = std::function<std::optional<std::string>(const std::vector<std::string> &instances)>;

/// Writes an object with the host's code and the bundle; false after diagnostics.
bool compileHost(const Invocation &invocation, const std::string &output, const MakeBundle &makeBundle);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_HOST_HOSTCODE_H
