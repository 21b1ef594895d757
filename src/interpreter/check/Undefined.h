// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements without a defined value, through a program. A load without a padding value results in them. They may be
// moved, used in arithmetic and dropped; values that depend on them are undefined too:
//
//     %x = load_view_tko weak %view[%last]       elements behind the end are undefined
//     %y = addf %x, %one                         so are these
//     %z = select %inside, %y, %zero             none of these, if %inside is false for them
//     %s = reduce %y dim=0                       undefined as a whole
//
// Storing one, branching on one, using one in an address or asserting one is an error, which the checker reports.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_UNDEFINED_H
#define TILEWRIGHT_INTERPRETER_CHECK_UNDEFINED_H

#include "interpreter/Context.h"

namespace tilewright::interpreter {

// Marks elements of the results of an operation that has run, from those of its operands. Operations on memory and
// control flow are not included: the checker handles the former, the latter moves whole values.
void propagateUndefined(mlir::Operation *op, Context &context);

// Marks exactly these elements of a tile; none for an empty set.
void markUndefined(Tile &tile, llvm::BitVector elements, mlir::Operation *origin);

// The tile of an SSA value if it has undefined elements, else null.
const Tile *findUndefined(mlir::Value value, Context &context);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_UNDEFINED_H
