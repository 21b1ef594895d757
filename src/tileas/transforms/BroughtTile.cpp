// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/transforms/BroughtTile.h"

using namespace mlir;
using namespace tilewright;

std::optional<tileas::BroughtTile> tileas::broughtTile(Value tile) {
  auto convert = tile.getDefiningOp<tileaa::ConvertOp>();
  bool isRounded = convert && convert.getFrom().isF32() && convert.getTo().isTF32() &&
                   convert.getRounding() == tileaa::Rounding::NearestEven;
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
