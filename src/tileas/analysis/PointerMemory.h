// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_POINTERMEMORY_H
#define TILEWRIGHT_TILEAS_ANALYSIS_POINTERMEMORY_H

#include "layout/memory/AccessQuality.h"
#include "tileas/analysis/TileSlopes.h"

namespace tilewright::tileas {

/// What is known of where the elements of `bytes` at a tile of addresses lie: a dimension along which they do so one
/// after another, and how many of them begin together and are masked alike. Nothing where none do.
std::optional<layout::TileMemory> memoryOf(mlir::Value addresses, mlir::Value mask, int64_t bytes,
                                           const TileSlopes &slopes);

} // namespace tilewright::tileas

#endif
