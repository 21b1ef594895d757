// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_POINTERMEMORY_H
#define TILEWRIGHT_TILEAS_ANALYSIS_POINTERMEMORY_H

#include "layout/memory/AccessQuality.h"
#include "tileas/analysis/TileSlopes.h"

namespace tilewright::tileas {

/// The known memory layout of elements of `bytes` at a tile of addresses: a dimension along which they are contiguous,
/// and how many of them are aligned together and have equal masks. Nothing where none are contiguous.
std::optional<layout::TileMemory> memoryOf(mlir::Value addresses, mlir::Value mask, int64_t bytes,
                                           const TileSlopes &slopes);

} // namespace tilewright::tileas

#endif
