// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/LoadedTile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

std::optional<LoadedTile> tileaa::loadedTile(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type)
    return std::nullopt;
  if (auto load = tile.getDefiningOp<LoadViewOp>())
    return LoadedTile{load, llvm::to_vector(load.getDimMap()), {}};
  std::optional<LoadedTile> source;
  SmallVector<int64_t> dims;
  if (auto permute = tile.getDefiningOp<PermuteOp>()) {
    source = loadedTile(permute.getSource());
    if (!source)
      return std::nullopt;
    for (int64_t dim : permute.getPermutation())
      dims.push_back(source->dimMap[dim]);
  } else if (auto reshape = tile.getDefiningOp<ReshapeOp>()) {
    source = loadedTile(reshape.getSource());
    if (!source)
      return std::nullopt;
    ArrayRef<int64_t> shape = type.getShape();
    for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(reshape.getSource().getType()).getShape())) {
      if (dims.size() != shape.size() && extent == shape[dims.size()])
        dims.push_back(source->dimMap[dim]);
      else if (extent != 1)
        return std::nullopt;
    }
    if (dims.size() != shape.size())
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  source->dimMap = dims;
  source->through.insert(source->through.begin(), tile.getDefiningOp());
  return source;
}
