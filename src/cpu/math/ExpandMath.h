// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine's vectors do otherwise than functions/Functions.h.
#ifndef TILEWRIGHT_CPU_MATH_EXPANDMATH_H
#define TILEWRIGHT_CPU_MATH_EXPANDMATH_H

#include "tileaa/transforms/functions/Functions.h"

namespace tilewright::cpu {

/// Vectors of 512 bits of x86 scale f32 by one instruction and have tables of 16 numbers in a register:
/// TableExponential.cpp.
class WideVectorFunctions : public functions::TargetFunctions {
public:
  bool scalesInOne(const functions::Arithmetic &a) const override;
  mlir::Value scale(const functions::Arithmetic &a, mlir::Value x, mlir::Value n, mlir::Value counts) const override;
  mlir::Value exponential(const functions::Arithmetic &a, mlir::Value x, bool natural,
                          mlir::Value counts) const override;
};

/// Arithmetic of bf16 and rounding to it; on those vectors by a permutation.
void populateBFloats(mlir::RewritePatternSet &patterns, bool hasTables);
/// On those vectors, the larger and the smaller of two numbers, and of all lanes of accumulators.
void populateExtrema(mlir::RewritePatternSet &patterns);
/// f32 to bf16 on vectors of 512 bits.
void populateRounding(mlir::RewritePatternSet &patterns);

} // namespace tilewright::cpu

#endif
