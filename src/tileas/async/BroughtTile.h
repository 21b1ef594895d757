// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_BROUGHTTILE_H
#define TILEWRIGHT_TILEAS_ASYNC_BROUGHTTILE_H

#include "tileaa/analysis/LoadedTile.h"

namespace tilewright::tileas {

/// A tile as the tensor memory accelerator can bring it: a box of a view, its dimensions in any order, its numbers
/// rounded to tf32 on the way.
///
/// ```
/// %t = tileaa.load_view %v[...]                    BroughtTile of %r: the LoadedTile of %t, through {%r, ...}, as tf32
/// %r = tileaa.convert %t : ... as f32 to ... as tf32
/// ```
struct BroughtTile : tileaa::LoadedTile {
  std::optional<mlir::Type> format;
};

/// Nothing where the tile is not loaded, or more has become of it.
std::optional<BroughtTile> broughtTile(mlir::Value tile);

/// Whether it is the rounding to tf32 that the accelerator makes.
bool roundsOnTheWay(tileaa::ConvertOp convert);
/// Whether the array can be described to the accelerator.
bool isDescribed(const BroughtTile &brought, llvm::ArrayRef<int64_t> shape);
/// The dimensions of the tile, of that shape, as they lie in memory, the nearest first.
llvm::SmallVector<unsigned> orderOf(const BroughtTile &brought, llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::tileas

#endif
