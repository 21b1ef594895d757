// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Value.h"

namespace tilewright::interpreter {

Tile::Tile(Element element, llvm::ArrayRef<int64_t> shape) : element(element), shape(shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  bits.assign(count, 0);
}

Tile::Tile(cuda_tile::TileType type) : Tile(*elementOf(type.getElementType()), type.getShape()) {}

Tile Tile::scalar(Element element, Bits bits) {
  Tile tile(element, {});
  tile.bits.front() = bits;
  return tile;
}

} // namespace tilewright::interpreter
