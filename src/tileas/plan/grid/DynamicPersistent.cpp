// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/BlocksBeside.h"
#include "tileas/analysis/ClusterRank.h"
#include "tileas/async/ProducerLoad.h"
#include "tileas/async/ProducerSlice.h"
#include "tileas/async/RematerializeTiles.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/Passes.h"
#include "tileas/plan/clusters/GuardStores.h"
#include "tileas/plan/clusters/SplitSums.h"
#include "tileas/plan/grid/TileOrder.h"

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
                               ? findObstacle(architecture)
                               : "the architecture has no products of warpgroups, which it would overlap with stores";
    if (!obstacle)
      obstacle = obstacleOfPlan(function);
    tileas::decide(function, tileas::DecisionKind::Persistent, !obstacle,
                   obstacle ? obstacle : "the producer loads for the next tile block while the results are stored");
    Cluster cluster = chooseCluster(target, obstacle);
    std::optional<int64_t> order = tileas::askedFor(function, tileas::DecisionKind::TileOrder);
    if (!obstacle)
      tileas::decide(function, tileas::DecisionKind::TileOrder, order.value_or(0),
                     "tile blocks run as the grid has them");
    else if (order && !tileas::DecisionTable(function).isDecided(function, tileas::DecisionKind::TileOrder))
      tileas::decide(function, tileas::DecisionKind::TileOrder, 0, "the hardware starts a CTA for each tile block");
    if (obstacle)
      return;
    rewrite(target.isPortable(), order.value_or(0), cluster);
    // Nothing multiplies while threads wait for each other at the begin and the end of a block.
    tileas::rematerializeSmallTiles(function);
  }

private:
  // Products in one loop, which is as long in every block, whose operands an agent can copy while the previous block is
  // stored, and nothing by which blocks know of each other. With two loops one after the other inside the one over
  // blocks ptxas 13 serializes the products (C7519).
  const char *findObstacle(const nvidia::Architecture &architecture) {
    llvm::SmallPtrSet<Operation *, 2> loops;
    const char *obstacle = nullptr;
    auto stop = [&](const char *why) {
      obstacle = why;
      return WalkResult::interrupt();
    };
    std::optional<tileas::TileSlopes> slopes; // an analysis that few kernels want
    bool areLoaded = false, usesTma = false, hasOnce = false;
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
        areLoaded |= isLoaded(operand);
        usesTma |= isByTma(operand);
        hasOnce |= isLoadedBefore(mma->getParentOp(), operand);
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
    if (!obstacle && areLoaded && !usesTma && !tileas::askedFor(getOperation(), tileas::DecisionKind::Persistent))
      obstacle = "no operand of a product is loaded by the tensor memory accelerator, and more CTAs hide more latency";
    auto asks = [&](tileas::DecisionKind kind) { return tileas::askedFor(getOperation(), kind).value_or(0) > 1; };
    bool isAskedFor = tileas::askedFor(getOperation(), tileas::DecisionKind::Persistent) ||
                      asks(tileas::DecisionKind::Split) || asks(tileas::DecisionKind::Cluster);
    // Attention f16 of 4 x 32 heads of 4096 queries and keys by tiles of 128x128 on an H200: 1469 us with 64 values,
    // 1295 not persistent, 2053 and 1767 with 128; by the portable ABI 1479 and 1336, 2005 and 1945.
    bool isFree = !obstacle && loops.size() == 1 && !isAskedFor;
    if (isFree && hasOnce)
      obstacle = "an operand that is loaded before the loop keeps the producer from loading for the next tile block";
    else if (isFree && tileas::blocksBeside(getOperation(), tileas::warpsOf(getOperation()), architecture) > 1)
      obstacle = "several CTAs of a multiprocessor run their products beside each other's work";
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

  //===-- clusters --------------------------------------------------------===//

  // CTAs that work on tile blocks adjacent along an axis, or on parts of one.
  struct Cluster {
    int64_t blocks = 1;
    unsigned axis = 0;
    bool isOfOne = false;

    bool isOfSeveral() const { return blocks > 1 && !isOfOne; }
  };

  // As many as a plan file asks for, or the hint, where adjacent tile blocks load the same. More than 1 is not decided
  // without being asked: of a GEMM written by hand (bf16, tiles of 128x256x64) the times with clusters of 2 and without
  // are within 3 % on an H200.
  Cluster chooseCluster(tileas::TargetAttr target, const char *obstacle) {
    using tileaa::hint::blocksOfCluster;
    func::FuncOp function = getOperation();
    int64_t split = chooseSplit(target, obstacle);
    if (split > 1) {
      const char *why = "CTAs of a cluster share the iterations of a tile block";
      tileas::decide(function, tileas::DecisionKind::Cluster, 1, why);
      tileaa::declineHint(function, blocksOfCluster, why);
      return {split, 0, /*isOfOne=*/true};
    }
    std::optional<int64_t> asked = tileas::askedFor(function, tileas::DecisionKind::Cluster),
                           hinted = tileaa::numberHinted(function, blocksOfCluster);
    int64_t wanted = asked.value_or(hinted.value_or(1));
    if (wanted == 1) {
      if (!obstacle || asked)
        tileas::decide(function, tileas::DecisionKind::Cluster, 1, "neither the hint num_ctas nor a plan file asks");
      if (hinted > 1)
        tileaa::declineHint(function, blocksOfCluster, "the plan file asks for " + Twine(*asked));
      else
        tileaa::followHint(function, blocksOfCluster, "no CTA is in a cluster");
      return {};
    }
    Cluster cluster{wanted, 0};
    std::string why = obstacleToCluster(target, obstacle, cluster);
    if (why.empty())
      return cluster;
    tileas::decide(function, tileas::DecisionKind::Cluster, 1, why);
    tileaa::declineHint(function, blocksOfCluster, why);
    return {};
  }

  // CTAs for each tile block, as a plan file asks for.
  int64_t chooseSplit(tileas::TargetAttr target, const char *obstacle) {
    constexpr auto kind = tileas::DecisionKind::Split;
    func::FuncOp function = getOperation();
    std::optional<int64_t> asked = tileas::askedFor(function, kind);
    std::string why = "no plan file asks for more";
    if (asked > 1)
      why = obstacleToClusters(target, obstacle);
    if (asked > 1 && why.empty())
      why = tileas::obstacleToSplit(tileas::loopOfProducts(function));
    int64_t split = why.empty() ? *asked : 1;
    if (!obstacle || asked)
      tileas::decide(function, kind, split, why);
    return split;
  }

  static std::string obstacleToClusters(tileas::TargetAttr target, const char *obstacle) {
    if (!target.getArchitecture().has(nvidia::Feature::Clusters))
      return "the architecture has no clusters";
    if (target.isPortable())
      return "a launcher of the portable ABI rounds no grid up to clusters";
    return obstacle ? std::string("only persistent kernels have clusters: ") + obstacle : "";
  }

  // Gives the cluster its axis.
  std::string obstacleToCluster(tileas::TargetAttr target, const char *obstacle, Cluster &cluster) {
    if (std::string why = obstacleToClusters(target, obstacle); !why.empty())
      return why;
    if (!tileas::refusalOf(tileas::Part::Kernel, tileas::DecisionKind::Cluster, cluster.blocks).empty())
      return "clusters have 2 or 4 CTAs";
    int64_t most = 0;
    for (unsigned axis = 0; axis != 3; ++axis)
      if (int64_t bytes = bytesShared(axis); bytes > most) {
        most = bytes;
        cluster.axis = axis;
      }
    return most ? "" : "adjacent tile blocks load no operand of a product that is the same";
  }

  // Bytes of operands that tile blocks adjacent along an axis may load alike, if they differ in others at all.
  int64_t bytesShared(unsigned axis) {
    func::FuncOp function = getOperation();
    tileas::ClusterRank ranks([axis](Value value) {
      auto block = value.getDefiningOp<tileaa::BlockIdOp>();
      return block && value == block->getResult(axis);
    });
    int64_t bytes = 0;
    bool differ = false;
    function.walk([&](tileas::MmaOp mma) {
      if (!tileas::isByWarpgroups(mma))
        return;
      for (Value operand : {mma.getLhs(), mma.getRhs()})
        for (Operation *user : operand.getUsers()) {
          auto write = dyn_cast<tileas::WriteOp>(user);
          auto staged = write ? tileas::stagedTile(write.getTile()) : std::nullopt;
          if (!staged)
            continue;
          tileaa::LoadViewOp load = staged->load;
          differ |= ranks.dependsOnRank(load.getOffsets());
          if (ranks.isUniform(load, function) && ranks.decidingValues(load.getOffsets(), &function.getBody().front()))
            bytes += write.getBuffer().getType().getBytes();
        }
    });
    return differ ? bytes : 0;
  }

  //===-- operands --------------------------------------------------------===//

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

  // Whether an operand of all iterations has the buffer, until the last of them.
  static bool isLoadedBefore(Operation *loop, Value operand) {
    return llvm::any_of(operand.getUsers(), [&](Operation *user) {
      return isa<tileas::WriteOp>(user) && isa<scf::ForOp>(loop) && !loop->isAncestor(user);
    });
  }

  // Whether a tile is written to the buffer, and whether the tensor memory accelerator can load it.
  static bool isLoaded(Value operand) { return llvm::any_of(operand.getUsers(), llvm::IsaPred<tileas::WriteOp>); }
  static bool isByTma(Value operand) {
    return llvm::any_of(operand.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<tileas::WriteOp>(user);
      auto staged = write ? tileas::stagedTile(write.getTile()) : std::nullopt;
      return staged && tileas::isDescribed(*staged, write.getBuffer().getType().getShape());
    });
  }

  static bool isStagedByTma(Value tile) {
    auto staged = tileas::stagedTile(tile);
    return staged && tileas::mayUseTma(staged->load);
  }

  // The CTA of rank 0 has the whole sums.
  static void split(scf::ForOp loop, Value rank, int64_t blocks) {
    auto builder = OpBuilder::atBlockBegin(loop.getBody());
    Location loc = loop.getLoc();
    Value none = arith::ConstantIntOp::create(builder, loc, rank.getType(), 0);
    tileas::guardStores(loop, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rank, none));
    Value before = arith::SubIOp::create(builder, loc, loop.getInductionVar(), loop.getLowerBound());
    Value round = arith::DivUIOp::create(builder, loc, before, loop.getStep());
    tileas::splitSums(tileas::loopOfProducts(loop->getParentOfType<func::FuncOp>()), {loop, rank, round, blocks});
  }

  // By the portable ABI the launcher launches the whole grid.
  void rewrite(bool wholeGrid, int64_t tileOrder, Cluster cluster) {
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
    // The grid in units of tile blocks that a CTA, or a cluster of them, takes at a time.
    SmallVector<Value, 3> units(grid);
    Value first = block.getX(), step = blocks.getX(), rank, size;
    if (cluster.blocks > 1) {
      auto place = tileas::ClusterOp::create(builder, loc, i32, i32, i32);
      first = place.getNumber(), step = place.getCount(), rank = place.getRank();
      tileas::CtaAttr cta = tileas::ctaOf(function);
      tileas::setCta(function, cluster.isOfOne ? cta.withSplit(cluster.blocks) : cta.withCluster(cluster.blocks));
    }
    if (cluster.isOfSeveral()) {
      size = arith::ConstantIntOp::create(builder, loc, i32, cluster.blocks);
      Value more = arith::ConstantIntOp::create(builder, loc, i32, cluster.blocks - 1);
      more = arith::AddIOp::create(builder, loc, grid[cluster.axis], more);
      units[cluster.axis] = arith::DivUIOp::create(builder, loc, more, size);
    }
    Value plane = arith::MulIOp::create(builder, loc, units[0], units[1]);
    Value all = arith::MulIOp::create(builder, loc, plane, units[2]);
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
    auto [x, y] = tileas::placeInPlane(number, inPlane, units, tileOrder, builder, loc);
    Value place[3] = {x, y, arith::DivUIOp::create(builder, loc, number, plane)};
    if (cluster.isOfSeveral()) {
      Value &along = place[cluster.axis], extent = grid[cluster.axis];
      Value begin = arith::MulIOp::create(builder, loc, along, size);
      Value wanted = arith::AddIOp::create(builder, loc, begin, rank);
      Value isInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, wanted, extent);
      Value last = arith::SubIOp::create(builder, loc, extent, arith::ConstantIntOp::create(builder, loc, i32, 1));
      // CTAs beyond the edge of the grid do what the last ones before it do, and store nothing.
      along = arith::MinUIOp::create(builder, loc, wanted, last);
      tileas::guardStores(loop, isInside);
    }
    if (cluster.isOfOne)
      split(loop, rank, cluster.blocks);
    loop.walk([&](Operation *op) {
      if (!isa<tileaa::BlockIdOp, tileaa::NumBlocksOp>(op))
        return;
      op->replaceAllUsesWith(isa<tileaa::BlockIdOp>(op) ? ArrayRef<Value>(place) : ArrayRef<Value>(grid));
      op->erase();
    });
  }
};

} // namespace
