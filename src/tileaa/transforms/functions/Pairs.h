// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as unevaluated sums of two floats, the second at most half a last place of the first: some 106 bits of f64,
// enough to round a function once (Dekker, "A floating-point technique for extending the available precision").
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_PAIRS_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_PAIRS_H

#include "tileaa/transforms/functions/Arithmetic.h"

namespace tilewright::functions {

struct Pair {
  mlir::Value high, low;
};

/// Exact sums; the short way needs |x| >= |y| or x = 0.
Pair twoSum(const Arithmetic &a, mlir::Value x, mlir::Value y);
Pair fastTwoSum(const Arithmetic &a, mlir::Value x, mlir::Value y);
/// An exact product.
Pair twoProduct(const Arithmetic &a, mlir::Value x, mlir::Value y);
/// To about 2^-100 of the result.
Pair multiply(const Arithmetic &a, Pair x, Pair y);
Pair divide(const Arithmetic &a, Pair x, Pair y);
Pair constantPair(const Arithmetic &a, double high, double low);
Pair select(const Arithmetic &a, mlir::Value condition, Pair x, Pair y);

/// ln x of a positive finite x, to about 2^-68 of the result; of other x anything.
Pair logarithmPair(const Arithmetic &a, mlir::Value x);

} // namespace tilewright::functions

#endif
