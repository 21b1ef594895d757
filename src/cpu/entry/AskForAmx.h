// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_ENTRY_ASKFORAMX_H
#define TILEWRIGHT_CPU_ENTRY_ASKFORAMX_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

/// Whether the function has instructions of the matrix unit, lowered to intrinsics.
bool usesAmx(mlir::func::FuncOp function);

/// A call, where `builder` is, that asks Linux for the unit's registers, once for each module: a program that links an
/// object need not know what is in it.
void askForAmx(mlir::OpBuilder &builder, mlir::Location loc, mlir::ModuleOp module);

} // namespace tilewright::cpu

#endif
