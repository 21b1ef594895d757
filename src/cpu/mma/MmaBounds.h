// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_MMA_MMABOUNDS_H
#define TILEWRIGHT_CPU_MMA_MMABOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

/// Tells every product how much of its operands is not padding, by the edges of arrays and the masks of gathers, and
/// which arrays the next iteration reads. Works on loads that have not been placed yet.
void boundMmas(mlir::func::FuncOp function);

} // namespace tilewright::cpu

#endif
