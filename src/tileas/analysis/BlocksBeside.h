// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_BLOCKSBESIDE_H
#define TILEWRIGHT_TILEAS_ANALYSIS_BLOCKSBESIDE_H

#include "machine/Architecture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// CTAs of so many warps that one multiprocessor should have at a time, so that the products of one run beside the work
/// of others: of kernels whose threads compute with products in the iteration that has them, as with the scores of
/// attention, as many as their registers and, about, shared memory allow; 1 of others, as of products that loads bound,
/// and where a plan file or the hint `occupancy` asks for 1.
int64_t blocksBeside(mlir::func::FuncOp function, int64_t warps, const nvidia::Architecture &architecture);

} // namespace tilewright::tileas

#endif
