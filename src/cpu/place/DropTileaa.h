// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Erases the operations of tileaa that are left once each load and store is in program order.
#ifndef TILEWRIGHT_CPU_PLACE_DROPTILEAA_H
#define TILEWRIGHT_CPU_PLACE_DROPTILEAA_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

/// Program order is the order: loads and stores of views go, and tokens become a constant that nobody asks for.
void dropTokens(mlir::func::FuncOp function);

/// Views that nobody uses go, and what is asked of them becomes the values they were made of.
void dropViews(mlir::func::FuncOp function);

} // namespace tilewright::cpu

#endif
