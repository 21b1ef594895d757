// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The known memory layout of the tiles of a view.
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_VIEWMEMORY_H
#define TILEWRIGHT_TILEAS_ANALYSIS_VIEWMEMORY_H

#include "layout/memory/AccessQuality.h"
#include "tileaa/ir/Tileaa.h"

namespace tilewright::tileas {

/// Of the tile whose corner in the view is at `offsets`.
layout::TileMemory memoryOf(mlir::Value view, mlir::ValueRange offsets, llvm::ArrayRef<int64_t> dimMap,
                            llvm::ArrayRef<int64_t> shape);
layout::TileMemory memoryOf(tileaa::LoadViewOp load);

/// As loads by threads find it that shift (see layout::shiftedRegisters), if they may and it is not aligned.
std::optional<layout::TileMemory> memoryOfShifted(tileaa::LoadViewOp load);

/// The registers of a load that shifts, if one does that holds the tile by `layout`.
llvm::SmallVector<unsigned> shiftedRegisters(tileaa::LoadViewOp load, const layout::LinearLayout &layout);

/// The dimensions of a tile as they lie in memory, the nearest first.
llvm::SmallVector<unsigned> orderOf(const layout::TileMemory &memory);

/// How many neighbours a thread that holds a load's tile by `layout` can load at once: as many as are aligned together,
/// and are inside of the view all or none.
int64_t elementsAtOnce(tileaa::LoadViewOp load, const layout::LinearLayout &layout);

} // namespace tilewright::tileas

#endif
