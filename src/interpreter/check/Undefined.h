// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements without a defined value on their way through a program. A load gives them where it has no padding value to
// put. They may be moved, computed with and dropped; what depends on them is undefined too:
//
//     %x = load_view_tko weak %view[%last]       elements behind the end are undefined
//     %y = addf %x, %one                         so are these
//     %z = select %inside, %y, %zero             none of these, if %inside is false for them
//     %s = reduce %y dim=0                       undefined as a whole
//
// An error is to store one, to branch on one, to use one in an address or to assert one: that is the checker's.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_UNDEFINED_H
#define TILEWRIGHT_INTERPRETER_CHECK_UNDEFINED_H

#include "interpreter/Context.h"

namespace tilewright::interpreter {

// Marks elements of the results of an operation that has run, from those of its operands. Operations on memory and
// control flow are not its matter: the one knows for itself, the other moves whole values.
void propagateUndefined(mlir::Operation *op, Context &context);

// Marks exactly these elements of a tile; none for an empty set.
void markUndefined(Tile &tile, llvm::BitVector elements, mlir::Operation *origin);

// The tile of an SSA value if it has undefined elements, else null.
const Tile *findUndefined(mlir::Value value, Context &context);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_UNDEFINED_H
