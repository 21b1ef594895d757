// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_TRANSFORMS_WGMMAPLAN_H
#define TILEWRIGHT_TILEAS_TRANSFORMS_WGMMAPLAN_H

#include "layout/SharedLayouts.h"
#include "tileas/transforms/MmaPlan.h"

namespace tilewright::tileas {

/// How warpgroups compute a product, both operands in swizzled shared memory, as the tensor memory accelerator leaves
/// them there. `lhsOrder` and `rhsOrder` say which dimension of the operand is contiguous in memory, fastest first.
/// Nothing where the architecture has no wgmma, or it none for the types, extents or orders.
std::optional<MmaPlan> chooseWgmma(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps,
                                   llvm::ArrayRef<unsigned> lhsOrder, llvm::ArrayRef<unsigned> rhsOrder);

/// The widest swizzle that a row of so many bytes fills.
std::optional<layout::SwizzleMode> widestSwizzle(int64_t rowBytes);

} // namespace tilewright::tileas

#endif
