// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on floats of up to 24 significant bits, computed in double and rounded to odd: where the exact result has
// more bits than a double, the last bit is set. Rounding that to at most 51 bits is equal, in any mode, to rounding the
// exact result. 1 + 2^-100 is 1.0000000000000002, which rounds up to 1.0000001 and to nearest to 1.
#ifndef TILEWRIGHT_INTERPRETER_OPS_ROUNDTOODD_H
#define TILEWRIGHT_INTERPRETER_OPS_ROUNDTOODD_H

#include "llvm/ADT/bit.h"
#include <cmath>

#pragma clang fp contract(off)

namespace tilewright::interpreter {

/// `nearest`, where the exact result is its sum with `rest`; only the sign of `rest` matters.
inline double toOdd(double nearest, double rest) {
  auto bits = llvm::bit_cast<uint64_t>(nearest);
  if (rest == 0 || (bits & 1) || !std::isfinite(nearest)) {
    return nearest;
  }
  return llvm::bit_cast<double>((rest > 0) == (nearest > 0) ? bits + 1 : bits - 1);
}

inline double addToOdd(double lhs, double rhs) {
  double sum = lhs + rhs;
  // Knuth's exact rest.
  double rhsPart = sum - lhs, lhsPart = sum - rhsPart;
  return toOdd(sum, (lhs - lhsPart) + (rhs - rhsPart));
}

inline double divideToOdd(double lhs, double rhs) {
  double quotient = lhs / rhs;
  if (!std::isfinite(quotient) || std::isinf(rhs)) {
    return quotient;
  }
  double rest = std::fma(-quotient, rhs, lhs);
  return toOdd(quotient, rhs < 0 ? -rest : rest);
}

inline double squareRootToOdd(double value) {
  double root = std::sqrt(value);
  return toOdd(root, std::isfinite(root) ? std::fma(-root, root, value) : 0);
}

} // namespace tilewright::interpreter

#endif
