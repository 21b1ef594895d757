// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid, and the tile block's place in it.
#include "interpreter/Handlers.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

void setTriple(Context &context, ResultRange results, const std::array<int64_t, 3> &numbers) {
  for (auto [result, number] : llvm::zip_equal(results, numbers))
    context.set(result, Tile::scalar(Element::I32, truncate(number, Element::I32)));
}

llvm::Error handleBlockId(cuda_tile::GetTileBlockIdOp op, Context &context) {
  setTriple(context, op->getResults(), context.block);
  return llvm::Error::success();
}

llvm::Error handleNumBlocks(cuda_tile::GetNumTileBlocksOp op, Context &context) {
  setTriple(context, op->getResults(), context.grid);
  return llvm::Error::success();
}

} // namespace

void registerGridOps(HandlerTable &table) {
  table.add<handleBlockId>();
  table.add<handleNumBlocks>();
}

} // namespace tilewright::interpreter
