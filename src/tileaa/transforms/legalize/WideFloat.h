// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_LEGALIZE_WIDEFLOAT_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_LEGALIZE_WIDEFLOAT_H

#include "tileaa/transforms/legalize/Formats.h"

namespace tilewright::legalize {

/// A number as the nearest float and the remainder.
struct TwoSum {
  Expr sum, rest;
};

/// Knuth's sum: exact as long as nothing overflows.
TwoSum addExactly(const Expr &a, const Expr &b);

/// Addition, subtraction, multiplication, division, fma or square root of f64, rounded by a directed mode.
Expr computeWide(tileaa::FloatKind kind, llvm::ArrayRef<Expr> operands, tileaa::Rounding rounding);

} // namespace tilewright::legalize

#endif
