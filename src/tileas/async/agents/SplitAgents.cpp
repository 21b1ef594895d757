// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/agents/SplitAgents.h"

#include "tileas/async/agents/LoadAhead.h"

#include "tileaa/ir/Hints.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/RegisterPool.h"
#include "tileas/memory/ValueFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace tilewright;
using tileas::ProducerGroup;
using tileas::ProducerSlice;
using tileas::Ring;

namespace {

constexpr int32_t warpsOfGroup = tileas::warpsOfProducer; // a producer is a warpgroup
// A producer's registers a thread where it does more than to start copies of the hardware: of one that shares them with
// another CTA, and of one that has addresses. With 56 for these ptxas spills those of tiles 128 deep; with 24 for
// copies that are shared it spills 20 bytes of a GEMM.
constexpr int32_t registersOfSharer = 40, registersOfGatherer = 72;

// The producer's part: a copy of the loops and branches around its loads.
class Producer {
public:
  Producer(MutableArrayRef<ProducerGroup> groups, ArrayRef<Ring> rings, const ProducerSlice &slice)
      : rings(rings), slice(slice) {
    for (ProducerGroup &group : groups)
      for (auto [index, staged] : llvm::enumerate(group.loads))
        places[staged.load()] = {&group, unsigned(index)};
  }

  void copyTo(Block &block, ArrayRef<Operation *> ops) {
    auto inside = OpBuilder::atBlockEnd(&block);
    IRMapping mapping;
    for (Operation *op : ops)
      copy(op, mapping, inside);
  }

private:
  void copy(Operation *op, IRMapping &mapping, OpBuilder &builder) {
    if (auto place = places.find(op); place != places.end()) {
      produce(*place->second.first, place->second.second, mapping, builder);
      return;
    }
    if (!slice.contains(op))
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      copyLoop(loop, mapping, builder);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      auto now = scf::IfOp::create(builder, op->getLoc(), mapping.lookupOrDefault(branch.getCondition()),
                                   !branch.getElseRegion().empty());
      for (auto [old, region] : llvm::zip(branch->getRegions(), now->getRegions())) {
        if (old.empty())
          continue;
        auto inside = OpBuilder::atBlockBegin(&region.front());
        for (Operation &inner : old.front().without_terminator())
          copy(&inner, mapping, inside);
      }
    } else {
      ProducerSlice::copy(op, warpsOfGroup, mapping, builder);
    }
  }

  void copyLoop(scf::ForOp loop, IRMapping &mapping, OpBuilder &builder) {
    SmallVector<unsigned> carried;
    SmallVector<Value> inits;
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (slice.contains(argument)) {
        carried.push_back(index);
        inits.push_back(mapping.lookupOrDefault(loop.getInitArgs()[index]));
      }
    auto now = scf::ForOp::create(builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
                                  mapping.lookupOrDefault(loop.getUpperBound()),
                                  mapping.lookupOrDefault(loop.getStep()), inits, nullptr, loop.getUnsignedCmp());
    mapping.map(loop.getInductionVar(), now.getInductionVar());
    for (auto [position, index] : llvm::enumerate(carried)) {
      mapping.map(loop.getRegionIterArg(index), now.getRegionIterArg(position));
      mapping.map(loop.getResult(index), now.getResult(position));
    }
    Block &block = *now.getBody();
    if (!block.empty())
      block.clear();
    auto inside = OpBuilder::atBlockEnd(&block);
    for (Operation &inner : loop.getBody()->without_terminator())
      copy(&inner, mapping, inside);
    SmallVector<Value> yielded;
    for (unsigned index : carried)
      yielded.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[index]));
    scf::YieldOp::create(inside, loop.getLoc(), yielded);
  }

  // A stage is acquired with its first load and committed with its last, as these stand in the block.
  void produce(ProducerGroup &group, unsigned index, IRMapping &mapping, OpBuilder &builder) {
    tileas::ProducerLoad &staged = group.loads[index];
    Location loc = staged.load()->getLoc();
    Value pipeline = rings[group.ring].pipeline;
    auto isBefore = [](const tileas::ProducerLoad &a, const tileas::ProducerLoad &b) {
      return a.load()->isBeforeInBlock(b.load());
    };
    bool isFirst = &*llvm::min_element(group.loads, isBefore) == &staged;
    bool isLast = &*llvm::max_element(group.loads, isBefore) == &staged;
    if (isFirst)
      tileas::ProducerAcquireOp::create(builder, loc, pipeline);
    if (staged.turning)
      turn(staged, pipeline, index, mapping, builder);
    else if (tileaa::LoadPtrOp gather = staged.gathered)
      tileas::AsyncLoadPtrOp::create(builder, loc, mapping.lookupOrDefault(gather.getAddresses()),
                                     mapping.lookupOrNull(gather.getMask()), Value(), pipeline, Value(), index, Value(),
                                     Value());
    else
      startBox(staged, pipeline, index, mapping, builder);
    if (isLast)
      tileas::ProducerCommitOp::create(builder, loc, pipeline);
  }

  void turn(tileas::ProducerLoad &staged, Value pipeline, unsigned index, IRMapping &mapping, OpBuilder &builder) {
    tileaa::LoadViewOp load = staged.tile.load;
    auto now = cast<tileaa::LoadViewOp>(builder.clone(*load, mapping));
    now.setDimMap(staged.tile.dimMap);
    tileas::retype(cast<OpResult>(now.getTile()), tileas::typeWith(staged.buffer.getElementType(), *staged.turning));
    tileas::TileLoad(now).dropToken();
    tileas::ProducerWriteOp::create(builder, load.getLoc(), now.getTile(), pipeline, index, Value());
  }

  void startBox(tileas::ProducerLoad &staged, Value pipeline, unsigned index, IRMapping &mapping, OpBuilder &builder) {
    tileaa::LoadViewOp load = staged.tile.load;
    Location loc = load.getLoc();
    SmallVector<Value> offsets;
    for (Value offset : load.getOffsets())
      offsets.push_back(mapping.lookupOrDefault(offset));
    // Views are made of parameters: both agents see them.
    OpBuilder outside(pipeline.getDefiningOp());
    Value desc = tileas::MakeTmaDescOp::create(outside, loc, tileas::TmaDescType::get(builder.getContext()),
                                               load.getView(), staged.access.box, unsigned(staged.access.swizzle),
                                               staged.tile.format ? TypeAttr::get(*staged.tile.format) : TypeAttr(),
                                               /*stored=*/false);
    tileas::TmaLoadOp::create(builder, loc, desc, offsets, pipeline, index, staged.access.splitDim,
                              staged.access.boxes);
  }

  ArrayRef<Ring> rings;
  const ProducerSlice &slice;
  DenseMap<Operation *, std::pair<ProducerGroup *, unsigned>> places; // of loads
};

// The consumers' part: the function's own operations, which read stages.
class Consumers {
public:
  Consumers(ArrayRef<Ring> rings, int64_t stages) : rings(rings), stages(stages) {}

  void take(func::FuncOp function, Block &block, ArrayRef<Operation *> ops, MutableArrayRef<ProducerGroup> groups) {
    for (Operation *op : ops)
      op->moveBefore(&block, block.end());
    for (ProducerGroup &group : groups)
      consume(group, rings[group.ring].isOnce ? 0 : stages - 1);
    leaveRunning(function);
  }

private:
  static void answerHints(const tileas::ProducerLoad &staged, int64_t ahead) {
    tileas::TileLoad load = staged.load();
    auto way = staged.turning ? tileas::way::turned : load.ofView() ? tileas::way::tma : tileas::way::cpAsync;
    tileas::decide(load, tileas::DecisionKind::Way, way,
                   staged.turning ? "threads of the producer turn the tile for a product"
                                  : "the producer loads the tile for a product");
    if (staged.turning)
      tileaa::answerWithoutTma(load, "the product wants the tile's columns contiguous, and no copy turns bytes");
    else if (load.ofView())
      tileaa::followHint(load, tileaa::hint::allowTma, "the tensor memory accelerator loads the tile");
    else
      tileaa::answerWithoutTma(load, "its elements have addresses of their own");
    tileas::answerLatency(load, ahead);
  }

  // Its tile is loaded `ahead` iterations of a loop before it is used.
  void consume(ProducerGroup &group, int64_t ahead) {
    Value pipeline = rings[group.ring].pipeline;
    Operation *firstUse = group.firstUse(), *lastUse = group.lastUse();
    OpBuilder builder(firstUse);
    Location loc = firstUse->getLoc();
    tileas::ConsumerWaitOp::create(builder, loc, pipeline);
    for (auto [index, staged] : llvm::enumerate(group.loads)) {
      auto readAs = [&, index = index](tileas::BufferType type) {
        return tileas::ConsumerReadOp::create(builder, loc, type, pipeline, index, Value());
      };
      answerHints(staged, ahead);
      if (staged.read) {
        lastUse = readIntoRegisters(staged, readAs(staged.buffer));
        continue;
      }
      for (tileas::StagedBuffer buffer : staged.buffers)
        replaceBuffer(buffer, readAs(buffer.alloc.getType()));
      eraseFromTokens(staged.load(), staged.load().token());
    }
    builder.setInsertionPointAfter(lastUse);
    tileas::ConsumerReleaseOp::create(builder, lastUse->getLoc(), pipeline);
  }

  // The buffer is the stage's, and only the producer writes it.
  static void replaceBuffer(tileas::StagedBuffer buffer, Value stage) {
    buffer.alloc.replaceAllUsesWith(stage);
    Value tile = buffer.write.getTile();
    buffer.write.erase();
    buffer.alloc.erase();
    // Operations between the load and the write.
    while (tile.use_empty() && !tileas::TileLoad::classof(tile.getDefiningOp())) {
      Operation *op = tile.getDefiningOp();
      tile = op->getOperand(0);
      op->erase();
    }
  }

  // A tile that is rounded by its copy need not be after it is read.
  static Operation *readIntoRegisters(tileas::ProducerLoad &staged, Value buffer) {
    Operation *reader = staged.read.getDefiningOp();
    OpBuilder builder(reader);
    if (staged.rounding) {
      staged.rounding.getResult().replaceAllUsesWith(staged.rounding.getSource());
      staged.rounding.erase();
    }
    auto read = tileas::ReadOp::create(builder, reader->getLoc(), staged.read.getType(), buffer, ValueRange());
    staged.read.replaceAllUsesWith(read.getResult());
    if (reader != staged.load())
      reader->erase();
    eraseFromTokens(staged.load(), staged.load().token());
    return read;
  }

  // Products whose buffers only the producer writes need not be waited for: stages are released when they end.
  static void leaveRunning(func::FuncOp function) {
    function.walk([](tileas::TmemMmaOp mma) {
      auto isStage = [](Value buffer) { return buffer.getDefiningOp<tileas::ConsumerReadOp>() != nullptr; };
      mma.setRunning(isStage(mma.getLhs()) && isStage(mma.getRhs()) && isWaitedForLater(mma));
    });
  }
  // Of a loop: those of a block that stands alone are followed by who wants the sums.
  static bool isWaitedForLater(tileas::TmemMmaOp mma) {
    return llvm::any_of(mma.getAcc().getUsers(), [&](Operation *user) {
      return isa<tileas::TmemWaitOp>(user) && mma->getParentOp()->getBlock() == user->getBlock();
    });
  }

  ArrayRef<Ring> rings;
  int64_t stages;
};

// The operations of the agents. Scalars stay where both see them; from the first operation of another kind on, all is
// the consumers'.
SmallVector<Operation *> agentOps(Block &body) {
  SmallVector<Operation *> own;
  DenseSet<Operation *> moved;
  for (Operation &op : body.without_terminator()) {
    // Of an exchange the barriers are there before other CTAs begin.
    bool isShared = (isMemoryEffectFree(&op) || isa<tileas::CreateExchangeOp>(op)) && op.getNumRegions() == 0 &&
                    llvm::none_of(op.getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }) &&
                    llvm::none_of(op.getOperands(), [&](Value operand) {
                      return operand.getDefiningOp() && moved.contains(operand.getDefiningOp());
                    });
    if (!isShared) {
      own.push_back(&op);
      moved.insert(&op);
    }
  }
  return own;
}

// Between CTAs of a cluster that work on different tile blocks.
bool sharesCopies(func::FuncOp function) {
  return tileas::clusterOf(function) > tileas::splitOf(function);
}

// The consumers get the registers that the producer does not keep.
std::array<int32_t, 2> decideRegisters(func::FuncOp function, int32_t warps, int32_t forLoads) {
  constexpr auto kind = tileas::DecisionKind::ProducerRegisters;
  bool isSharer = sharesCopies(function);
  int32_t kept = tileas::registersOfProducer(function, forLoads), resident = tileas::ctaOf(function).getResident();
  std::array<int32_t, 2> registers = tileas::handOver(warps, warpsOfGroup, kept, resident);
  int32_t atLaunch = tileas::registersAtLaunch(warps + warpsOfGroup, resident);
  if (registers[1] == 0)
    tileas::decide(function, kind, atLaunch, "all threads keep those that they begin with");
  else
    tileas::decide(function, kind, kept,
                   forLoads   ? "its threads have addresses, or parts of tiles"
                   : isSharer ? "a thread shares copies with another CTA"
                              : "a thread starts copies");
  return registers;
}

void hoistViews(func::FuncOp function, ArrayRef<ProducerGroup> groups) {
  for (const ProducerGroup &group : groups)
    for (const tileas::ProducerLoad &staged : group.loads)
      if (!staged.gathered)
        tileas::hoistView(tileaa::LoadViewOp(staged.tile.load).getView(), function);
}

// Erases operations that only the producer's loads used.
static void eraseUnused(tileas::AgentsOp agents) {
  agents->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace

// Those of its tiles, and of addresses, which are more with each dimension of the view. Attention of 128 values by
// tiles of 128x128 bytes spills 72 bytes with 104 registers and 8 with 112; a GEMM spills nothing with 104.
static int32_t registersToTurn(const tileas::ProducerLoad &staged) {
  constexpr int32_t step = 8, ofScalars = 32, ofDimension = 4;
  int64_t tiles = tileas::isLoadedAhead(staged.buffer) ? 2 : 1;
  tileaa::LoadViewOp load = staged.tile.load;
  return llvm::alignTo(ofScalars + ofDimension * load.getView().getType().getRank() +
                           tiles * tileas::registersOfTile(staged.buffer),
                       step);
}

int32_t tileas::registersForLoads(ArrayRef<ProducerGroup> groups) {
  int32_t most = 0;
  for (const ProducerGroup &group : groups)
    for (const ProducerLoad &staged : group.loads)
      most = std::max(most, staged.turning ? registersToTurn(staged) : staged.gathered ? registersOfGatherer : 0);
  return most;
}

int32_t tileas::registersOfProducer(func::FuncOp function, int32_t forLoads) {
  bool isSharer = sharesCopies(function);
  int32_t ownChoice = forLoads ? forLoads : isSharer ? registersOfSharer : registersOfStarter;
  return askedFor(function, DecisionKind::ProducerRegisters).value_or(ownChoice);
}

void tileas::splitAgents(func::FuncOp function, const nvidia::Architecture &architecture,
                         MutableArrayRef<ProducerGroup> groups, MutableArrayRef<Ring> rings, const ProducerSlice &slice,
                         int64_t stages) {
  int32_t warps = warpsOf(function), consumers = warps / warpsOfGroup;
  hoistViews(function, groups);
  Block &body = function.getBody().front();
  SmallVector<Operation *> ops = agentOps(body);
  OpBuilder builder(body.getTerminator());
  Location loc = function.getLoc();
  bool byOne = architecture.hasTcgen05();
  for (Ring &ring : rings)
    ring.pipeline =
        CreatePipelineOp::create(builder, loc, ring.type(stages), byOne ? 1 : consumers, IntegerAttr(), byOne);
  std::array<int32_t, 2> registers = decideRegisters(function, warps, registersForLoads(groups));
  auto agents = AgentsOp::create(builder, loc, ArrayRef<int32_t>{warps, warpsOfGroup}, registers);
  Block &consumer = agents.getConsumer().emplaceBlock(), &producer = agents.getProducer().emplaceBlock();
  // The producer's part first: it is a copy of what is still there.
  Producer(groups, rings, slice).copyTo(producer, ops);
  loadAhead(agents);
  Consumers(rings, stages).take(function, consumer, ops, groups);
  if (slice.isOfAllThreads())
    eraseUnused(agents);
  setCta(function, ctaOf(function).withThreads((warps + warpsOfGroup) * 32));
}
