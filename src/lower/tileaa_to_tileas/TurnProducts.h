// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_TURNPRODUCTS_H
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_TURNPRODUCTS_H

#include "machine/Architecture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// wgmma takes operands of tf32 from shared memory with K as the nearest dimension only, but a left one from registers,
/// in which threads can hold it as they like. Where the right operand has N nearest, the product is turned around:
///
/// ```
/// %d = tileaa.mma %a, %b, %c   -->   %t = tileaa.mma %b^T, %a^T, %c^T;  %d = %t^T
/// ```
/// Transposing a tile is no work: it is held by the same threads.
void turnProducts(mlir::func::FuncOp function, const nvidia::Architecture &architecture, int64_t warps);

} // namespace tilewright

#endif
