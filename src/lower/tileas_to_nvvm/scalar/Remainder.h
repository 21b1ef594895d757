// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SCALAR_REMAINDER_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SCALAR_REMAINDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// The module's function for x - y * trunc(x / y) of f32 or f64, exact as the C library's fmod.
mlir::func::FuncOp remainderFunction(mlir::ModuleOp module, mlir::FloatType type);

} // namespace tilewright

#endif
