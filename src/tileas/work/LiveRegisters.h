// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_WORK_LIVEREGISTERS_H
#define TILEWRIGHT_TILEAS_WORK_LIVEREGISTERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// How many registers of a thread hold elements of tiles at a time, at most: of those with a use behind a place of the
/// program. Tiles that are computed element by element for one use take none, as long as their operands are fewer:
///
///   %x = load ...             8 registers of bf16, 16 elements of a thread
///   %w = load ...             8 more
///   %y = extf %x              none: its only use reads %x, which is live until then
///   store (truncf %y * %w)
double liveRegisters(mlir::func::FuncOp kernel);

} // namespace tilewright::tileas

#endif
