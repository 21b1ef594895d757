// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts with which tiles are best loaded from memory and stored to it.
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_ACCESSLAYOUTS_H
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_ACCESSLAYOUTS_H

#include "layout/memory/AccessQuality.h"
#include "tileas/analysis/ViewMemory.h"

namespace tilewright {

/// For a tile of which nothing is known: as a row-major array of 32-bit elements would be.
layout::LinearLayout defaultLayout(llvm::ArrayRef<int64_t> shape, int64_t warps);

/// The widest and most coalesced accesses to a tile.
layout::LinearLayout accessLayout(llvm::ArrayRef<int64_t> shape, const layout::TileMemory &memory, int64_t warps);

/// From this factor of instructions on, a layout conversion is cheaper. Stores are asynchronous, and a conversion needs
/// shared memory that pipelines can use: GEMM tf32 4096^3 with row-major operands and a transposed accumulator has 349
/// TFLOP/s with four times the stores, and 280 with a conversion in shared memory, which left two stages.
constexpr uint64_t loadsMore = 4, storesMore = 8;

/// The same for loads of elements that threads of a warp and of other warps hold as well.
constexpr uint64_t spreadMore = 8;

/// The accesses of a thread to a tile; without known memory, one for each element.
uint64_t instructionsOf(const layout::LinearLayout &layout, const std::optional<layout::TileMemory> &memory);

/// Whether accesses by `layout` take at least twice as many sectors, or `mostInstructions` times as many instructions,
/// as by `best`.
bool isMuchWorse(const layout::LinearLayout &layout, const layout::LinearLayout &best, const layout::TileMemory &memory,
                 uint64_t mostInstructions);

} // namespace tilewright

#endif
