// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of values: "tile<2x3xf32> [[1, 2.5, 0], [-1, nan, inf]]", large tiles with their middle left out.
#ifndef TILEWRIGHT_INTERPRETER_DEBUG_TILETEXT_H
#define TILEWRIGHT_INTERPRETER_DEBUG_TILETEXT_H

#include "interpreter/Value.h"
#include "llvm/Support/Error.h"

namespace tilewright::interpreter {

// The shortest decimal number that has these bits; "?" is an undefined element of checked mode.
std::string elementText(Element element, Bits bits);

// A part of a tile by Python's rules: "1, :, 2:4" keeps the second and third dimension.
llvm::Expected<Tile> slice(const Tile &tile, llvm::StringRef subscript);

// Brackets and elements, all of them if `whole`.
std::string tileText(const Tile &tile, bool whole = false);

// With the type before it.
std::string valueText(const Value &value, bool whole = false);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_DEBUG_TILETEXT_H
