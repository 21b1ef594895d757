// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/BroughtTile.h"

#include "tileas/analysis/ViewMemory.h"
#include "tileas/async/TmaAccess.h"

using namespace mlir;
using namespace tilewright;

std::optional<tileas::BroughtTile> tileas::broughtTile(Value tile) {
  auto convert = tile.getDefiningOp<tileaa::ConvertOp>();
  bool isRounded = convert && roundsOnTheWay(convert);
  auto loaded = tileaa::loadedTile(isRounded ? convert.getSource() : tile);
  if (!loaded)
    return std::nullopt;
  BroughtTile brought{*loaded, std::nullopt};
  if (isRounded) {
    brought.format = convert.getTo();
    brought.through.insert(brought.through.begin(), convert);
  }
  return brought;
}

bool tileas::roundsOnTheWay(tileaa::ConvertOp convert) {
  return convert.getFrom().isF32() && convert.getTo().isTF32() &&
         convert.getRounding() == tileaa::Rounding::NearestEven;
}

bool tileas::isDescribed(const BroughtTile &brought, ArrayRef<int64_t> shape) {
  tileaa::LoadViewOp load = brought.load;
  std::string why;
  return describeTmaAccess(load, load.getView(), brought.dimMap, shape, why).has_value();
}

SmallVector<unsigned> tileas::orderOf(const BroughtTile &brought, ArrayRef<int64_t> shape) {
  tileaa::LoadViewOp load = brought.load;
  return orderOf(memoryOf(load.getView(), load.getOffsets(), brought.dimMap, shape));
}
