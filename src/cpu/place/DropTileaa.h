// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Erases the operations of tileaa that are left once each load and store is in program order.
#ifndef TILEWRIGHT_CPU_PLACE_DROPTILEAA_H
#define TILEWRIGHT_CPU_PLACE_DROPTILEAA_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

/// Program order is the order: loads and stores of views are removed, and tokens become an unused constant.
void dropTokens(mlir::func::FuncOp function);

/// Removes unused views, and replaces their extents and strides by the values that they were made from.
void dropViews(mlir::func::FuncOp function);

} // namespace tilewright::cpu

#endif
