// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts as text.
//
//   {register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8
//
// An input lists its basis vectors, lowest bit first, each with a coordinate for every output; with one output the
// parentheses fall away. The outputs of a tile are its shape; others carry their names: -> row:128 x column:64.
#ifndef TILEWRIGHT_LAYOUT_LAYOUTTEXT_H
#define TILEWRIGHT_LAYOUT_LAYOUTTEXT_H

#include "layout/LinearLayout.h"
#include "llvm/Support/Error.h"

namespace tilewright::layout {

llvm::Expected<LinearLayout> parseLayout(llvm::StringRef text);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_LAYOUTTEXT_H
