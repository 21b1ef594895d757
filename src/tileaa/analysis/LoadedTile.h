// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_LOADEDTILE_H
#define TILEWRIGHT_TILEAA_ANALYSIS_LOADEDTILE_H

#include "tileaa/ir/Tileaa.h"

namespace tilewright::tileaa {

/// A tile that is a box of a view, whatever the program calls its dimensions: without those of extent one, and in
/// another order.
///
/// ```
/// %t = load_view %v[...] dims [0, 1, 3, 2] -> tensor<1x1x128x64xbf16>
/// %r = reshape %t -> tensor<128x64xbf16>        LoadedTile of %r: dims [3, 2], through {%r}
/// ```
struct LoadedTile {
  LoadViewOp load;
  llvm::SmallVector<int64_t> dimMap;               // the view's dimension along which each of the tile's runs
  llvm::SmallVector<mlir::Operation *, 2> through; // the operations between, users first: the one next to the load last
};

/// Nothing where the tile is not loaded, or has dimensions that are not the load's.
std::optional<LoadedTile> loadedTile(mlir::Value tile);

} // namespace tilewright::tileaa

#endif
