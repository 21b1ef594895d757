// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Frame.h"

namespace tilewright::interpreter {

Places::Places(cuda_tile::EntryOp entry) {
  auto add = [&](mlir::Value value) {
    places.try_emplace(value, all.size());
    all.push_back(value);
    if (auto tile = llvm::dyn_cast<cuda_tile::TileType>(value.getType()))
      bytes += tile.getNumElements() * sizeof(Bits);
  };
  entry->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
}

} // namespace tilewright::interpreter
