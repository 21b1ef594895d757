// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_WGMMACHOICE_H
#define TILEWRIGHT_TILEAS_PLAN_WGMMACHOICE_H

#include "layout/memory/SharedLayouts.h"
#include "tileas/plan/MmaChoice.h"

namespace tilewright::tileas {

/// How warpgroups compute a product. Operands are in swizzled shared memory, as the tensor memory accelerator leaves
/// them there: `lhsOrder` and `rhsOrder` say which dimension is contiguous in memory, fastest first. An operand without
/// an order was computed: the left one is taken from registers, the right one is written as the instruction wants it.
/// Nothing where the architecture has no wgmma, or it none for the types, extents or orders.
std::optional<MmaChoice> chooseWgmma(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps,
                                     std::optional<llvm::SmallVector<unsigned>> lhsOrder,
                                     std::optional<llvm::SmallVector<unsigned>> rhsOrder);

/// Types that the tensor core multiplies out of shared memory in any order; of the others K is contiguous.
bool takesAnyOrder(mlir::Type element);
/// An operand in swizzled shared memory, its dimensions in that order, fastest first. Nothing where no swizzle fits.
std::optional<layout::LinearLayout> operandInMemory(mlir::RankedTensorType tile, llvm::ArrayRef<unsigned> order);

/// The widest swizzle that a row of so many bytes fills.
std::optional<layout::SwizzleMode> widestSwizzle(int64_t rowBytes);

} // namespace tilewright::tileas

#endif
