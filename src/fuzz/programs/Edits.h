// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of the reducer. An edit is found again in a copy of the program by the number of its operation.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_EDITS_H
#define TILEWRIGHT_FUZZ_PROGRAMS_EDITS_H

#include "fuzz/programs/Program.h"

namespace tilewright::programs {

// Everything inside of entries but the ends of regions, in order of the text.
std::vector<mlir::Operation *> listOperations(Program &program);

// Replaces the results of each operation by constants and tokens without history, and erases it; those whose results
// have no such stand-in stay. False if all of them do.
bool removeOperations(Program &program, size_t first, size_t count);

// Edits of one operation, by kind. `variant` counts the ways there are; false if there is no such way.
using Edit = bool (*)(mlir::Operation *op, unsigned variant);
bool replaceByOperand(mlir::Operation *op, unsigned variant);
bool inlineRegion(mlir::Operation *op, unsigned variant);
bool dropResult(mlir::Operation *op, unsigned variant);
bool simplifyAttribute(mlir::Operation *op, unsigned variant);

// Edits of the whole program.
using ProgramEdit = bool (*)(Program &program, unsigned variant);
bool dropArgument(Program &program, unsigned variant);
bool shrinkGrid(Program &program, unsigned variant);
bool halveExtents(Program &program, unsigned variant);
bool simplifyContents(Program &program, unsigned variant);

// Erases what has neither uses nor effects.
void removeDeadCode(Program &program);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_EDITS_H
