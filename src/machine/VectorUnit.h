// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vector units of CPUs, by instruction set and width: what code for them may use beyond what LLVM selects from
// vectors by itself. A pass that has a form for one of these instructions asks here whether there is one.
#ifndef TILEWRIGHT_MACHINE_VECTORUNIT_H
#define TILEWRIGHT_MACHINE_VECTORUNIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilewright {

enum class Isa : int64_t { X86, Aarch64 };
llvm::StringRef nameOf(Isa isa);

/// Multiplies the elements of words of 32 bits with those of others, and adds up the products of each word.
struct WordProduct {
  llvm::StringLiteral intrinsic; // of LLVM; empty if there is none
  llvm::StringLiteral feature;   // that it takes, as LLVM writes it; empty if all machines have it
  bool takesSum;                 // the first operand is added to, and is the result; else the products are

  explicit operator bool() const { return !intrinsic.empty(); }
};

struct VectorUnit {
  Isa isa;
  unsigned bits;      // of a register
  unsigned registers; // that an instruction can name
  // Of the narrowest elements that loads and stores under a mask have; 0: they are made element by element.
  unsigned leastMaskedBits;
  // Permutations take an index from each lane, sums round as they say themselves, and an instruction scales by powers
  // of two: what tables of exponentials take.
  bool hasTables;
  WordProduct bfloatPairs, shortPairs, byteQuads, unsignedByteQuads;

  bool hasMasks(unsigned elementBits) const { return leastMaskedBits && elementBits >= leastMaskedBits; }
};

/// Null if the instruction set has no registers of that width.
const VectorUnit *findVectorUnit(Isa isa, unsigned bits);

/// Bytes that the caches of all machines here load at once.
constexpr int64_t cacheLineBytes = 64;

} // namespace tilewright

#endif // TILEWRIGHT_MACHINE_VECTORUNIT_H
