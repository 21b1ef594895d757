// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_PLAN_WORTHJOINING_H
#define TILEWRIGHT_CPU_PLAN_WORTHJOINING_H

#include "cpu/plan/BlockSpread.h"

namespace tilewright::cpu {

/// Makes a function `@k.joins` that says whether a launch of the kernel should join blocks, if that depends on its
/// arguments: rows that are stored after a reduction and go past the cache should come one by one. Those of several
/// blocks would be written in one burst, with nothing to compute meanwhile, and read in the next. Elements of less than
/// 32 bits take longer to round than to write.
void askWhetherToJoin(mlir::func::FuncOp kernel, const BlockSpread &spread);

} // namespace tilewright::cpu

#endif
