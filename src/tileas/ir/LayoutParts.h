// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the layouts of tiles that both the passes and the lowering to registers need.
#ifndef TILEWRIGHT_TILEAS_IR_LAYOUTPARTS_H
#define TILEWRIGHT_TILEAS_IR_LAYOUTPARTS_H

#include "layout/LinearLayout.h"

namespace tilewright::tileas {

/// A bit of a register's or lane's number.
struct PlaceBit {
  layout::Dim dim;
  unsigned bit;
};

/// For each bit of a coordinate, the lowest first, the one that it is; nothing
/// unless each is one of the register or the lane alone, and these are nothing
/// else.
std::optional<llvm::SmallVector<PlaceBit>> placesAlong(const layout::LinearLayout &layout, unsigned dim);

/// The layout of a tile of that shape that is repeated over one with this layout: each thread holds, in each register,
/// the element of the small tile at the same coordinate.
layout::LinearLayout repeatedOver(const layout::LinearLayout &whole, llvm::ArrayRef<int64_t> shape);

/// The layout of each part of that shape where all parts are held alike, each in registers, or at offsets, of its own.
std::optional<layout::LinearLayout> layoutOfParts(const layout::LinearLayout &whole, llvm::ArrayRef<int64_t> shape,
                                                  layout::Dim by = layout::Dim::Register);

/// The same tile in at most that many warps, a power of two: elements of the other warps move to registers of these.
layout::LinearLayout inWarps(const layout::LinearLayout &layout, unsigned warps);

} // namespace tilewright::tileas

#endif
