// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PLAN_WORTHJOINING_H
#define TILEWRIGHT_CPU_PLAN_WORTHJOINING_H

#include "cpu/plan/BlockSpread.h"

namespace tilewright::cpu {

/// Makes a function `@k.joins` that says whether a launch of the kernel should join blocks, if that depends on its
/// arguments. From arrays larger than the cache several rows are read in one burst and written in the next, where row
/// by row the processor does both at once. So joining is worth it there only where memory is not the limit: blocks of a
/// few cache lines, or elements of less than 32 bits, which take longer to convert than to move.
void askWhetherToJoin(mlir::func::FuncOp kernel, const BlockSpread &spread);

} // namespace tilewright::cpu

#endif
