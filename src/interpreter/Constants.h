// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_CONSTANTS_H
#define TILEWRIGHT_INTERPRETER_CONSTANTS_H

#include "interpreter/Value.h"

namespace tilewright::interpreter {

// The value of a constant or the initial value of a global.
Tile constantTile(mlir::DenseElementsAttr attribute);
// A number attribute, such as an identity of a reduction, as an element.
Bits constantBits(mlir::Attribute number, Element element);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CONSTANTS_H
