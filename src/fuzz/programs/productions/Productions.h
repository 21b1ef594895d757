// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The productions of a program: a table with a row per operation and the function that writes one, with everything that
// makes it legal and its result determined. GeneratorTest compares it with the dialect's own table.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_PRODUCTIONS_PRODUCTIONS_H
#define TILEWRIGHT_FUZZ_PROGRAMS_PRODUCTIONS_PRODUCTIONS_H

#include "fuzz/programs/Body.h"

namespace tilewright::programs {

struct Production {
  // The operation it is about; it may write others too.
  llvm::StringLiteral mnemonic;
  unsigned weight;
  // Writes one; false if there is nothing it can be applied to here.
  std::function<bool(Body &)> write;
};
using Productions = std::vector<Production>;

void addArithmetic(Productions &productions);
void addConversions(Productions &productions);
void addShapes(Productions &productions);
void addMemory(Productions &productions);
void addViews(Productions &productions);
void addAtomics(Productions &productions);
void addFolds(Productions &productions);
void addProducts(Productions &productions);
// Loops of products over arrays of their own; not inside of a region.
bool writeProductLoops(Body &body);
void addControl(Productions &productions);
void addHost(Productions &productions);

const Productions &allProductions();

// Writes operations until the budget is used up.
void fill(Body &body);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_PRODUCTIONS_PRODUCTIONS_H
