// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PLAN_NEXTINDICES_H
#define TILEWRIGHT_CPU_PLAN_NEXTINDICES_H

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

/// Where a loop loads from addresses that depend on a loaded tile of indices, the same tile of the next block along x
/// is loaded too, and becomes an input that the loop fetches by (`cpu.fetch`): towards its end the loop prefetches rows
/// of the next block. Adds those loads to the list.
void loadNextIndices(mlir::func::FuncOp function, llvm::SmallVectorImpl<tileaa::LoadViewOp> &loads,
                     llvm::function_ref<bool(tileaa::LoadViewOp)> isWritten);

} // namespace tilewright::cpu

#endif
