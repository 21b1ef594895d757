// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_STAGEDTILE_H
#define TILEWRIGHT_TILEAS_ASYNC_STAGEDTILE_H

#include "tileaa/analysis/LoadedTile.h"

namespace tilewright::tileas {

/// A tile that the tensor memory accelerator (TMA) can copy to shared memory: a box of a view, its dimensions in any
/// order, its elements optionally rounded to tf32 by the copy.
///
/// ```
/// %t = tileaa.load_view %v[...]                    StagedTile of %r: the LoadedTile of %t, through {%r, ...}, as tf32
/// %r = tileaa.convert %t : ... as f32 to ... as tf32
/// ```
struct StagedTile : tileaa::LoadedTile {
  std::optional<mlir::Type> format;
};

/// Nothing where the tile is not loaded, or other operations follow the load.
std::optional<StagedTile> stagedTile(mlir::Value tile);

/// Whether TMA can do the conversion: a rounding to tf32.
bool roundsOnTheWay(tileaa::ConvertOp convert);
/// Whether the array can have a tensor map.
bool isDescribed(const StagedTile &staged, llvm::ArrayRef<int64_t> shape);
/// The dimensions of the tile, of that shape, in the order of their strides, the smallest first.
llvm::SmallVector<unsigned> orderOf(const StagedTile &staged, llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::tileas

#endif
