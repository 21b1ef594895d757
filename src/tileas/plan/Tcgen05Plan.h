// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_TCGEN05PLAN_H
#define TILEWRIGHT_TILEAS_PLAN_TCGEN05PLAN_H

#include "tileas/plan/MmaPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

/// How a product is computed with its sums in tensor memory, both operands in swizzled shared memory as the tensor
/// memory accelerator leaves them there: `lhsOrder` and `rhsOrder` say which dimension is contiguous in memory, fastest
/// first; an operand without an order was computed, and is written as the instruction wants it. `acc` is what the
/// threads have when the sums have been loaded from tensor memory.
///
/// Nothing where the architecture has no tcgen05, or it none for the types, extents or orders; where the sums take more
/// than `columns` of tensor memory; or where a loop wants them in registers in every iteration, as attention does.
std::optional<MmaPlan> chooseTcgen05(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps,
                                     std::optional<llvm::SmallVector<unsigned>> lhsOrder,
                                     std::optional<llvm::SmallVector<unsigned>> rhsOrder, int64_t columns);

/// The tensor memory of an accumulator of that shape, and the columns that are taken for it.
layout::LinearLayout tmemLayout(llvm::ArrayRef<int64_t> shape);
int64_t tmemColumns(llvm::ArrayRef<int64_t> shape);

/// The loop around a product that adds to what the iteration before left, if nothing else of the loop wants the sums.
/// Of an operation with `acc` and one result.
mlir::scf::ForOp loopOfSums(mlir::Operation *mma, mlir::Value acc);

} // namespace tilewright::tileas

#endif
