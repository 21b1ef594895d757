// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PLACE_LOOPINPUT_H
#define TILEWRIGHT_CPU_PLACE_LOOPINPUT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::cpu {

/// A copy of the loop with one more input before the others: a scalar, which says something about the loop as a whole
/// and which its body does not use.
mlir::linalg::GenericOp withFirstInput(mlir::OpBuilder &builder, mlir::linalg::GenericOp loop, mlir::Value scalar);

} // namespace tilewright::cpu

#endif
