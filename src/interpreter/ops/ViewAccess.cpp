// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of tiles of views.
#include "interpreter/Handlers.h"
#include "interpreter/ViewTile.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

template <typename Op> Tile loadTile(Op op, Context &context, mlir::Value result) {
  Tile tile(llvm::cast<cuda_tile::TileType>(result.getType()));
  auto padding = llvm::cast<cuda_tile::TileView>(op.getView().getType()).getPaddingValue();
  Bits outside = padding ? paddingBits(padding.getValue(), tile.element) : 0;
  llvm::SmallVector<int64_t> undefined;
  Accesses accesses(op, context);
  ViewTile(op, context, op.getView(), op.getIndex(), op.getInbounds())
      .forEach([&](int64_t i, std::optional<Place> place) {
        tile.bits[i] = place ? accesses.read(i, *place, tile.element) : outside;
        if (!place && !padding)
          undefined.push_back(i);
      });
  if (context.monitor && !undefined.empty())
    context.monitor->undefinedElements(op, undefined);
  context.set(op.getResultToken(), accesses.finish());
  return tile;
}

llvm::Error handleLoad(cuda_tile::LoadViewTkoOp op, Context &context) {
  context.set(op.getTile(), loadTile(op, context, op.getTile()));
  return llvm::Error::success();
}

// One device has one copy of multicast memory, so combining all copies is reading it.
llvm::Error handleMultimemLoad(cuda_tile::MultimemLoadReduceViewTkoOp op, Context &context) {
  context.set(op.getReducedValues(), loadTile(op, context, op.getReducedValues()));
  return llvm::Error::success();
}

template <typename Op> llvm::Error handleStore(Op op, Context &context) {
  const Tile &tile = context.tile(op.getTile());
  Accesses accesses(op, context);
  ViewTile(op, context, op.getView(), op.getIndex(), op.getInbounds())
      .forEach([&](int64_t i, std::optional<Place> place) {
        if (place)
          accesses.write(i, *place, tile.element, tile.bits[i]);
      });
  context.set(op.getResultToken(), accesses.finish());
  return llvm::Error::success();
}

} // namespace

void registerViewAccessOps(HandlerTable &table) {
  table.add<handleLoad>();
  table.add<handleMultimemLoad>();
  table.add<handleStore<cuda_tile::StoreViewTkoOp>>();
  table.add<handleStore<cuda_tile::MultimemStoreViewTkoOp>>();
}

} // namespace tilewright::interpreter
