// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_DIVISOR_H
#define TILEWRIGHT_TILEAA_ANALYSIS_DIVISOR_H

#include "mlir/IR/Value.h"
#include <cstdint>

namespace tilewright::tileaa {

/// The largest power of two, up to 2^30, that is known to divide an integer: 32 of `%i * 32`, 16 of a value assumed to
/// be a multiple of 48. Looks through arithmetic, and through loop-carried values whose steps have divisors.
int64_t knownDivisor(mlir::Value value);

} // namespace tilewright::tileaa

#endif
