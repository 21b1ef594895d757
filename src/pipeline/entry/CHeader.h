// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_ENTRY_CHEADER_H
#define TILEWRIGHT_PIPELINE_ENTRY_CHEADER_H

#include "machine/Machine.h"
#include "runtime/Image.h"

namespace tilewright {

/// A C and C++ header for a library of compiled kernels: the ABI, and for each entry its declaration, the scratch
/// memory it needs, and typed functions that run a grid; under a macro, the runtime that a program in C needs.
std::string writeCHeader(llvm::ArrayRef<EntryInfo> entries, const Machine &machine);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ENTRY_CHEADER_H
