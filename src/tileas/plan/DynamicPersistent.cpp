// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileas/async/ProducerLoad.h"
#include "tileas/async/ProducerSlice.h"
#include "tileas/async/RematerializeTiles.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASDYNAMICPERSISTENT
#include "tileas/plan/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Whether a number differs from block to block.
bool dependsOnBlock(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    op = argument.getOwner()->getParentOp();
  if (!op || isa<func::FuncOp>(op))
    return false;
  if (isa<tileaa::BlockIdOp>(op) || !isMemoryEffectFree(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnBlock(operand, seen); });
}

class DynamicPersistent : public tilewright::impl::TileasDynamicPersistentBase<DynamicPersistent> {
public:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    tileas::TargetAttr target = tileas::targetOf(function);
    if (!target)
      return signalPassFailure();
    const nvidia::Architecture &architecture = target.getArchitecture();
    const char *obstacle = architecture.hasWgmma() || architecture.hasTcgen05()
                               ? findObstacle()
                               : "the architecture has no products of warpgroups, which it would overlap with stores";
    if (!obstacle)
      obstacle = obstacleOfPlan(function);
    tileas::decide(function, tileas::DecisionKind::Persistent, !obstacle,
                   obstacle ? obstacle : "the producer loads for the next tile block while the results are stored");
    std::optional<int64_t> order = tileas::askedFor(function, tileas::DecisionKind::TileOrder);
    if (!obstacle)
      tileas::decide(function, tileas::DecisionKind::TileOrder, order.value_or(0),
                     "tile blocks run as the grid has them");
    else if (order)
      tileas::decide(function, tileas::DecisionKind::TileOrder, 0, "the hardware starts a CTA for each tile block");
    if (obstacle)
      return;
    rewrite(target.isPortable(), order.value_or(0));
    // Nothing multiplies while threads wait for each other at the begin and the end of a block.
    tileas::rematerializeSmallTiles(function);
  }

private:
  // Products in one loop, which is as long in every block, whose operands an agent can copy while the previous block is
  // stored, and nothing by which blocks know of each other. With two loops one after the other inside the one over
  // blocks ptxas 13 serializes the products (C7519).
  const char *findObstacle() {
    llvm::SmallPtrSet<Operation *, 2> loops;
    const char *obstacle = nullptr;
    auto stop = [&](const char *why) {
      obstacle = why;
      return WalkResult::interrupt();
    };
    std::optional<tileas::TileSlopes> slopes; // an analysis that few kernels want
    bool gathers = false, usesTma = false;
    getOperation().walk([&](Operation *op) {
      if (isa<tileaa::AtomicRmwOp, tileaa::AtomicCasOp, tileaa::FenceOp, tileaa::AllocaOp, tileaa::PrintOp,
              tileaa::AssertOp, scf::WhileOp>(op) ||
          tileaa::orderingOf(op))
        return stop("its tile blocks may wait for each other, print or assert, or have loops without a counter");
      auto mma = dyn_cast<tileas::MmaOp>(op);
      if (!mma || !tileas::isByWarpgroups(mma))
        return WalkResult::advance();
      if (!slopes)
        slopes.emplace(getOperation());
      if (!isStaged(mma.getLhs(), *slopes) || !isStaged(mma.getRhs(), *slopes))
        return stop("a producer cannot load the operands of a product");
      for (Value operand : {mma.getLhs(), mma.getRhs()}) {
        gathers |= isGathered(operand);
        usesTma |= isLoaded(operand) && !isGathered(operand);
      }
      for (Operation *parent = op->getParentOp(); parent != getOperation(); parent = parent->getParentOp()) {
        auto loop = dyn_cast<scf::ForOp>(parent);
        DenseSet<Value> seen;
        if (!loop || llvm::any_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                                  [&](Value bound) { return dependsOnBlock(bound, seen); }))
          return stop("a loop of a product is not as long in every tile block");
      }
      if (op->getParentOp() != getOperation())
        loops.insert(op->getParentOp());
      return WalkResult::advance();
    });
    // GEMM bf16 of rows without alignment on an H100, tiles of 128x128x64: 1001x1003x1005 takes 54 us, 39 not
    // persistent; 4001x4003x4005 1400 and 885.
    if (!obstacle && gathers && !usesTma && !tileas::askedFor(getOperation(), tileas::DecisionKind::Persistent))
      obstacle = "no operand of a product is loaded by the tensor memory accelerator, and more CTAs hide more latency";
    if (obstacle || loops.size() == 1)
      return obstacle;
    return loops.empty() ? "no warpgroup multiplies in a loop" : "ptxas serializes the products of several loops";
  }

  // A plan file that asks for no persistent kernel, or for no producer.
  static const char *obstacleOfPlan(func::FuncOp function) {
    using tileas::DecisionKind;
    if (tileas::askedFor(function, DecisionKind::Persistent) == 0)
      return "the plan file asks for a CTA for each tile block";
    if (tileas::askedFor(function, DecisionKind::Producer) == tileas::producer::threads)
      return "the plan file has threads load operands of products";
    return nullptr;
  }

  // Whether a buffer can be filled by TMA from a box of a view, or by a producer that gathers.
  bool isStaged(Value operand, const tileas::TileSlopes &slopes) {
    return llvm::all_of(operand.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<tileas::WriteOp>(user);
      if (!write || write.getBuffer() != operand)
        return true;
      auto gather = write.getTile().getDefiningOp<tileaa::LoadPtrOp>();
      if (!gather)
        return isStagedByTma(write.getTile());
      tileas::ProducerSlice slice(getOperation(), /*hasTiles=*/true);
      return tileas::canGather(gather, write.getBuffer().getType(), slopes) && slice.addLoad(gather.getOperation());
    });
  }

  // Whether a tile is written to the buffer, and whether a gather loads it.
  static bool isLoaded(Value operand) { return llvm::any_of(operand.getUsers(), llvm::IsaPred<tileas::WriteOp>); }
  static bool isGathered(Value operand) {
    return llvm::any_of(operand.getUsers(), [](Operation *user) {
      auto write = dyn_cast<tileas::WriteOp>(user);
      return write && write.getTile().getDefiningOp<tileaa::LoadPtrOp>();
    });
  }

  static bool isStagedByTma(Value tile) {
    auto staged = tileas::stagedTile(tile);
    return staged && tileas::mayUseTma(staged->load);
  }

  // The tile block of a number: x counts first and y next, within so many values of x at a time if `tileOrder` is not
  // 0. The last group may have fewer of them.
  static std::pair<Value, Value> placeInPlane(Value number, ArrayRef<Value> grid, int64_t tileOrder, OpBuilder &builder,
                                              Location loc) {
    if (tileOrder == 0)
      return {arith::RemUIOp::create(builder, loc, number, grid[0]),
              arith::DivUIOp::create(builder, loc, number, grid[0])};
    Value most = arith::ConstantIntOp::create(builder, loc, number.getType(), tileOrder);
    Value ofGroup = arith::MulIOp::create(builder, loc, most, grid[1]);
    Value group = arith::DivUIOp::create(builder, loc, number, ofGroup);
    Value inGroup = arith::RemUIOp::create(builder, loc, number, ofGroup);
    Value first = arith::MulIOp::create(builder, loc, group, most);
    Value left = arith::SubIOp::create(builder, loc, grid[0], first);
    Value width = arith::MinUIOp::create(builder, loc, most, left);
    Value x = arith::RemUIOp::create(builder, loc, inGroup, width);
    return {arith::AddIOp::create(builder, loc, first, x), arith::DivUIOp::create(builder, loc, inGroup, width)};
  }

  // By the portable ABI the launcher launches the whole grid.
  void rewrite(bool wholeGrid, int64_t tileOrder) {
    func::FuncOp function = getOperation();
    Block &body = function.getBody().front();
    Location loc = function.getLoc();
    auto builder = OpBuilder::atBlockBegin(&body);
    Type i32 = builder.getI32Type();
    SmallVector<Operation *> old;
    for (Operation &op : body.without_terminator())
      old.push_back(&op);
    auto block = tileaa::BlockIdOp::create(builder, loc);
    auto blocks = tileaa::NumBlocksOp::create(builder, loc);
    SmallVector<Value, 3> grid(blocks.getResults());
    if (!wholeGrid) {
      for (Value &extent : grid) {
        if (failed(function.insertArgument(function.getNumArguments(), i32, DictionaryAttr(), loc)))
          return signalPassFailure();
        extent = body.getArguments().back();
      }
      tileas::setCta(function, tileas::ctaOf(function).withBlocksPerSm(1));
    }
    Value plane = arith::MulIOp::create(builder, loc, grid[0], grid[1]);
    Value all = arith::MulIOp::create(builder, loc, plane, grid[2]);
    Value first = block.getX(), step = blocks.getX();
    if (wholeGrid) {
      Value inPlane = arith::MulIOp::create(builder, loc, grid[0], block.getY());
      Value before = arith::MulIOp::create(builder, loc, plane, block.getZ());
      first = arith::AddIOp::create(builder, loc, arith::AddIOp::create(builder, loc, first, inPlane), before);
      step = tileas::MultiprocessorsOp::create(builder, loc, i32);
      Value takesPart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, first, step);
      first = arith::SelectOp::create(builder, loc, takesPart, first, all);
      tileas::setCta(function, tileas::ctaOf(function).withFirstBlocks(true));
    }
    auto loop = scf::ForOp::create(builder, loc, first, all, step);
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op : old)
      op->moveBefore(end);

    builder.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    Value inPlane = arith::RemUIOp::create(builder, loc, number, plane);
    auto [x, y] = placeInPlane(inPlane, grid, tileOrder, builder, loc);
    Value place[3] = {x, y, arith::DivUIOp::create(builder, loc, number, plane)};
    loop.walk([&](Operation *op) {
      if (!isa<tileaa::BlockIdOp, tileaa::NumBlocksOp>(op))
        return;
      op->replaceAllUsesWith(isa<tileaa::BlockIdOp>(op) ? ArrayRef<Value>(place) : ArrayRef<Value>(grid));
      op->erase();
    });
  }
};

} // namespace
