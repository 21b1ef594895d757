// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PLACE_EARLIERVALUES_H
#define TILEWRIGHT_CPU_PLACE_EARLIERVALUES_H

#include "mlir/IR/Dominance.h"

namespace tilewright::cpu {

/// Whether values are known before an operation, or the operations after it that compute them may be moved before it:
/// an index returned by an atomic may not.
bool canBeKnownBefore(mlir::ValueRange values, mlir::Operation *point, mlir::DominanceInfo &dominance);

/// Moves those operations; fails where they are in other regions.
mlir::LogicalResult makeKnownBefore(mlir::ValueRange values, mlir::Operation *point, mlir::DominanceInfo &dominance);

} // namespace tilewright::cpu

#endif
