// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_TRANSPOSEPRODUCTS_H
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_TRANSPOSEPRODUCTS_H

#include "machine/Architecture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// wgmma takes operands of tf32 from shared memory only if K is contiguous, but a left operand from registers in any
/// order. Where N is contiguous in the right operand, the product is transposed:
///
/// ```
/// %d = tileaa.mma %a, %b, %c   -->   %t = tileaa.mma %b^T, %a^T, %c^T;  %d = %t^T
/// ```
/// So it is where the sums of a loop have a right operand that threads compute from a tile that they load, as weights
/// that are dequantized: as the left operand it stays in registers, and no thread waits for what others write.
/// Transposing a tile moves no value: only its layout changes.
void transposeProducts(mlir::func::FuncOp function, const nvidia::Architecture &architecture, int64_t warps);

} // namespace tilewright

#endif
