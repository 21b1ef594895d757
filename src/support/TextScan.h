// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search in the text of modules before MLIR parses it, which skips strings and comments.
#ifndef TILEWRIGHT_SUPPORT_TEXTSCAN_H
#define TILEWRIGHT_SUPPORT_TEXTSCAN_H

#include "mlir/Support/LLVM.h"

namespace tilewright {

// Where a string or comment that begins at `at` ends, behind its last character; `at` if none begins there. A string
// does not go on after its line.
inline size_t skipQuoted(llvm::StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"')
      return at + 1;
    if (text[at] == '\\')
      ++at;
  }
  return std::min(at, text.size());
}

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_TEXTSCAN_H
