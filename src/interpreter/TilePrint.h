// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_TILEPRINT_H
#define TILEWRIGHT_INTERPRETER_TILEPRINT_H

#include "interpreter/Value.h"

namespace tilewright::interpreter {

// The output of a kernel's print, with the text of the runtime of compiled kernels.
std::string formatTiles(llvm::StringRef format, llvm::ArrayRef<Tile> tiles);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_TILEPRINT_H
