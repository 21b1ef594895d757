// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of a view: the elements of the tensor that it contains.
#ifndef TILEWRIGHT_INTERPRETER_VIEWTILE_H
#define TILEWRIGHT_INTERPRETER_VIEWTILE_H

#include "interpreter/Walk.h"
#include "interpreter/memory/Memory.h"

namespace tilewright::interpreter {

// The positions of the tiles of a view in its tensor, per dimension of the tile: the distance of adjacent tiles, and
// the dimension of the tensor. A gather/scatter view has a tile at each element; along its sparse dimension every row
// has an index of its own.
struct ViewGrid {
  Index steps, dims;
  std::optional<int64_t> sparseDim;
};
ViewGrid gridOf(cuda_tile::TileView type);

// Number of tiles per dimension of the view.
Index indexSpace(const TileView &view);

// Tile (1) of a partition of a tensor of 6 elements into tiles of 4 has the elements 4, 5 and two that are outside.
class ViewTile {
public:
  // Reports to the monitor an index outside of the index space, and a tile that exceeds the tensor in spite of
  // `inbounds`.
  ViewTile(mlir::Operation *op, Context &context, mlir::Value view, mlir::ValueRange indices,
           llvm::ArrayRef<bool> inbounds);

  // Calls visit(number, place) for each element in row-major order; outside of the tensor, place is nothing.
  template <typename Visit> void forEach(Visit visit) const {
    forEachIndex(shape, [&](int64_t number, llvm::ArrayRef<int64_t> index) {
      int64_t distance = 0;
      for (size_t dim = 0; dim < axes.size(); ++dim) {
        if (!axes[dim].isInside[index[dim]])
          return visit(number, std::optional<Place>());
        distance += axes[dim].coordinates[index[dim]] * axes[dim].stride;
      }
      visit(number, std::optional<Place>(placeOf(view.tensor.base, distance, view.tensor.element)));
    });
  }

private:
  // A dimension of the tile: the positions of its elements along the tensor.
  struct Axis {
    std::vector<int64_t> coordinates;
    std::vector<bool> isInside;
    int64_t stride;
  };

  const TileView &view;
  Index shape;
  llvm::SmallVector<Axis, 4> axes;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_VIEWTILE_H
