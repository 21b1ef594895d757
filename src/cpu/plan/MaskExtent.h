// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PLAN_MASKEXTENT_H
#define TILEWRIGHT_CPU_PLAN_MASKEXTENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::cpu {

/// How much of dimension `dim` of a gathered tile the mask leaves: one more than the last index at which the part of
/// the mask that depends on `dim` alone is true. Null if `gather` is not a load by pointers that is zero where its
/// mask is false, or if no part of the mask is of that kind.
///
/// Example: a tile of rows `slots < count` and columns `at < depth` has as many rows as slots up to the last real one.
/// The scalar loop that counts them stands before `user`, and before every loop around it that changes nothing it
/// reads.
mlir::Value getMaskExtent(mlir::linalg::GenericOp gather, int64_t dim, mlir::Operation *user);

} // namespace tilewright::cpu

#endif
