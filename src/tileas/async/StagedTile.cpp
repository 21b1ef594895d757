// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/StagedTile.h"

#include "tileas/analysis/ViewMemory.h"
#include "tileas/async/TmaAccess.h"

using namespace mlir;
using namespace tilewright;

std::optional<tileas::StagedTile> tileas::stagedTile(Value tile) {
  auto convert = tile.getDefiningOp<tileaa::ConvertOp>();
  bool isRounded = convert && roundsOnTheWay(convert);
  auto loaded = tileaa::loadedTile(isRounded ? convert.getSource() : tile);
  if (!loaded)
    return std::nullopt;
  StagedTile staged{*loaded, std::nullopt};
  if (isRounded) {
    staged.format = convert.getTo();
    staged.through.insert(staged.through.begin(), convert);
  }
  return staged;
}

bool tileas::roundsOnTheWay(tileaa::ConvertOp convert) {
  return convert.getFrom().isF32() && convert.getTo().isTF32() &&
         convert.getRounding() == tileaa::Rounding::NearestEven;
}

bool tileas::isDescribed(const StagedTile &staged, ArrayRef<int64_t> shape) {
  tileaa::LoadViewOp load = staged.load;
  std::string why;
  return describeTmaAccess(load, load.getView(), staged.dimMap, shape, why).has_value();
}

SmallVector<unsigned> tileas::orderOf(const StagedTile &staged, ArrayRef<int64_t> shape) {
  tileaa::LoadViewOp load = staged.load;
  return orderOf(memoryOf(load.getView(), load.getOffsets(), staged.dimMap, shape));
}
