// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/Passes.h"
#include "tileas/plan/grid/BlockSteps.h"
#include "tileas/plan/grid/TileOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASORDERBLOCKS
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

int64_t bytesOf(Operation *access) {
  Value tile;
  if (isa<tileaa::LoadPtrOp, tileaa::LoadViewOp>(access))
    tile = access->getResult(0);
  else if (auto store = dyn_cast<tileaa::StorePtrOp>(access))
    tile = store.getTile();
  else if (auto store = dyn_cast<tileaa::StoreViewOp>(access))
    tile = store.getTile();
  auto type = tile ? dyn_cast<RankedTensorType>(tile.getType()) : RankedTensorType();
  return type ? type.getNumElements() * type.getElementTypeBitWidth() / 8 : 0;
}

class OrderBlocks : public tilewright::impl::TileasOrderBlocksBase<OrderBlocks> {
  // Bytes of the accesses whose tiles of adjacent blocks are adjacent in memory along y, less those along x.
  int64_t findAdvantage() {
    tileas::BlockSteps alongX(0), alongY(1);
    int64_t advantage = 0;
    getOperation().walk([&](Operation *op) {
      int64_t bytes = bytesOf(op);
      if (bytes == 0)
        return;
      std::optional<int64_t> x = alongX.ofAddress(op), y = alongY.ofAddress(op);
      auto isAdjacent = [&](std::optional<int64_t> step) { return step && *step != 0 && std::abs(*step) <= bytes; };
      advantage += isAdjacent(y) && x != 0 ? bytes : 0;
      advantage -= isAdjacent(x) && y != 0 ? bytes : 0;
    });
    return advantage;
  }

  // Products read the same operands in blocks along x and in blocks along y; blocks that know of each other may rely on
  // the order in which the hardware starts them.
  bool mayBeOrdered() {
    return !getOperation()
                .walk([](Operation *op) {
                  bool keeps = isa<tileaa::MmaOp, tileaa::MmaScaledOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp,
                                   tileaa::FenceOp, scf::WhileOp>(op) ||
                               tileaa::orderingOf(op);
                  return keeps ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!mayBeOrdered())
      return;
    std::optional<int64_t> asked = tileas::askedFor(function, tileas::DecisionKind::TileOrder);
    int64_t order = asked.value_or(findAdvantage() > 0 ? 1 : 0);
    if (order == 0 && !asked)
      return;
    tileas::decide(function, tileas::DecisionKind::TileOrder, order,
                   order == 1   ? "tiles of blocks that follow each other along y are adjacent in memory"
                   : order == 0 ? "the hardware starts blocks along x first"
                                : "tile blocks run in groups along x");
    if (order > 0)
      rewrite(order);
  }

  void rewrite(int64_t order) {
    func::FuncOp function = getOperation();
    auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    SmallVector<tileaa::BlockIdOp> old;
    function.walk([&](tileaa::BlockIdOp block) { old.push_back(block); });
    auto block = tileaa::BlockIdOp::create(builder, loc);
    auto blocks = tileaa::NumBlocksOp::create(builder, loc);
    SmallVector<Value, 3> grid(blocks.getResults());
    Value before = arith::MulIOp::create(builder, loc, block.getY(), grid[0]);
    Value number = arith::AddIOp::create(builder, loc, before, block.getX());
    auto plane = arith::MulUIExtendedOp::create(builder, loc, grid[0], grid[1]);
    auto [x, y] = tileas::placeInPlane(number, number, grid, order, builder, loc);
    // Planes of 2^32 and more blocks stay as the hardware has them.
    Value none = arith::ConstantIntOp::create(builder, loc, number.getType(), 0);
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, plane.getHigh(), none);
    x = arith::SelectOp::create(builder, loc, fits, x, block.getX());
    y = arith::SelectOp::create(builder, loc, fits, y, block.getY());
    for (tileaa::BlockIdOp each : old) {
      each.replaceAllUsesWith(ValueRange{x, y, block.getZ()});
      each.erase();
    }
  }
};

} // namespace
