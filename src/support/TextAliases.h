// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aliases of attributes and types (`#a = [#b, #b]`) unfold where MLIR prints and walks them: thirty lines that each
// double the one before make a gigabyte.
#ifndef TILEWRIGHT_SUPPORT_TEXTALIASES_H
#define TILEWRIGHT_SUPPORT_TEXTALIASES_H

#include "mlir/Support/LLVM.h"

namespace tilewright {

// Texts that tools print have less than one part per character, and some ten where calls are inlined deeply. A text of
// any length may have the parts of the second figure.
constexpr uint64_t partsPerCharacter = 64, partsAlways = 1 << 16;

// The first alias with whose use a text unfolds to more parts than one of its length may, or npos.
size_t findTooLarge(llvm::StringRef text);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_TEXTALIASES_H
