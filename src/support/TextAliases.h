// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aliases of attributes and types (`#a = [#b, #b]`) unfold where MLIR prints and walks them: thirty lines that each
// double the one before make a gigabyte.
#ifndef TILEWRIGHT_SUPPORT_TEXTALIASES_H
#define TILEWRIGHT_SUPPORT_TEXTALIASES_H

#include "mlir/Support/LLVM.h"

namespace tilewright {

// The first alias with whose use a text unfolds to more parts than one of its length may, or npos.
size_t findTooLarge(llvm::StringRef text);

std::string tooLargeMessage();

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_TEXTALIASES_H
