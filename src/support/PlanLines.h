// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a plan: a line `@kernel`, and below it lines `name = value`; `#` begins a comment.
#ifndef TILEWRIGHT_SUPPORT_PLANLINES_H
#define TILEWRIGHT_SUPPORT_PLANLINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// Calls `decide` with the number of the kernel. Errors, its own too, get the line; `name` is what the text is called.
llvm::Error
forEachDecision(llvm::StringRef text, llvm::StringRef name, llvm::ArrayRef<std::string> kernels,
                llvm::function_ref<llvm::Error(size_t kernel, llvm::StringRef key, llvm::StringRef value)> decide);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_PLANLINES_H
