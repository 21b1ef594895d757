// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_TCGEN05CHOICE_H
#define TILEWRIGHT_TILEAS_PLAN_TCGEN05CHOICE_H

#include "tileas/plan/MmaChoice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

/// A product with its accumulator in tensor memory and both operands in shared memory, swizzled as the tensor memory
/// accelerator writes them. `lhsOrder` and `rhsOrder` are the order of dimensions in memory, the contiguous one first;
/// an operand without an order was computed, and is written in the order of the instruction. `acc` is the layout of the
/// accumulator when threads have loaded it from tensor memory.
///
/// None if the architecture has no tcgen05 for the types, extents or orders; if the accumulator needs more than
/// `columns` of tensor memory; or if a loop reads it in registers in every iteration, as attention does.
std::optional<MmaChoice> chooseTcgen05(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps,
                                       std::optional<llvm::SmallVector<unsigned>> lhsOrder,
                                       std::optional<llvm::SmallVector<unsigned>> rhsOrder, int64_t columns);

/// The tensor memory of an accumulator of that shape, and the columns that are taken for it.
layout::LinearLayout tmemLayout(llvm::ArrayRef<int64_t> shape);
int64_t tmemColumns(llvm::ArrayRef<int64_t> shape);

/// The loop around a product whose accumulator is loop-carried and has no other uses in the loop. For an operation with
/// `acc` and one result.
mlir::scf::ForOp loopOfSums(mlir::Operation *mma, mlir::Value acc);

} // namespace tilewright::tileas

#endif
