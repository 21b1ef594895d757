// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints, as [[cutile::hint(900, latency = 4)]]. Clang takes the arguments of attributes for expressions, so its parser
// gets [[clang::annotate("cutile.hint.0", 900, "latency", 4)]] instead, in the same lines.
#ifndef TILEWRIGHT_CPP_HINT_SYNTAX_H
#define TILEWRIGHT_CPP_HINT_SYNTAX_H

#include "clang/Frontend/CompilerInstance.h"
#include <optional>
#include <string>

namespace tilewright::cpp {

/// The text with its hints as annotations; nothing for a text that has none.
std::optional<std::string> annotateHints(llvm::StringRef text);

/// Does so for the files that the compiler includes.
void annotateHintsOfIncludes(clang::CompilerInstance &compiler);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_HINT_SYNTAX_H
