// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/ArchitectureOption.h"
#include "tileas/async/Passes.h"
#include "tileas/async/ProducerLoad.h"
#include "tileas/async/ProducerSlice.h"
#include "tileas/ir/RegisterPool.h"
#include "tileas/memory/SharedPlaces.h"
#include "tileas/memory/ValueFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASMATERIALIZEASYNC
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int32_t warpsOfGroup = 4;
// A producer's registers a thread: of one that starts copies of the hardware, and of one that has addresses. With 56
// for these ptxas spills those of tiles 128 deep.
constexpr int32_t registersOfStarter = 24, registersOfGatherer = 72;

// Loads that come together: what the same operation reads first.
struct ProducerGroup {
  SmallVector<tileas::ProducerLoad, 2> loads;
  unsigned ring;

  Block *block() const { return loads.front().load()->getBlock(); }
  bool hasGathered() const { return llvm::is_contained(gathered(), true); }
  SmallVector<bool> gathered() const {
    return llvm::map_to_vector(loads, [](const tileas::ProducerLoad &staged) { return bool(staged.gathered); });
  }
  Operation *firstUse() const { return loads.front().firstUse; }
  Operation *lastUse() const {
    auto isBefore = [](const tileas::ProducerLoad &a, const tileas::ProducerLoad &b) {
      return a.lastUse->isBeforeInBlock(b.lastUse);
    };
    return llvm::max_element(loads, isBefore)->lastUse;
  }
};

// A pipeline, which groups have one after another: none is inside of another's block, so that both agents come to them
// in one order.
struct Ring {
  SmallVector<tileas::BufferType> buffers;
  // Which of them are filled by copies of threads: who arrives at a stage is the same in each round.
  SmallVector<bool> gathered;
  SmallVector<Block *> blocks;
  // A tile that is loaded before the loops that read it, or once, has one stage.
  bool isOnce;
  Value pipeline;

  tileas::PipelineType type(int64_t stages) const {
    return tileas::PipelineType::get(buffers.front().getContext(), isOnce ? 1 : stages, buffers);
  }
  bool takes(const ProducerGroup &group, ArrayRef<tileas::BufferType> types, bool once) const {
    return !isOnce && !once && buffers == types && gathered == group.gathered() &&
           llvm::none_of(blocks, [&](Block *block) {
             return block->getParentOp()->isAncestor(group.block()->getParentOp()) ||
                    group.block()->getParentOp()->isAncestor(block->getParentOp());
           });
  }
};

class MaterializeAsync : public tilewright::impl::TileasMaterializeAsyncBase<MaterializeAsync> {
public:
  using TileasMaterializeAsyncBase::TileasMaterializeAsyncBase;

  void runOnOperation() override {
    architecture = tileas::architectureOf(arch, getOperation());
    if (!architecture)
      return signalPassFailure();
    std::string why = bring();
    getOperation().walk([&](Operation *op) {
      if (tileas::TileLoad::classof(op))
        tileaa::answerWithoutTma(op, why);
    });
  }

private:
  // Why what threads still load is loaded by them, as the end of a sentence.
  std::string bring() {
    if (!architecture->has(nvidia::Feature::Tma))
      return "the architecture has no tensor memory accelerator";
    if (!architecture->hasWgmma() && !architecture->hasTcgen05())
      return "it loads tiles for products by wgmma and tcgen05 only";
    if (!multiplies())
      return "no product by wgmma or tcgen05 reads it";
    if (ownDescs && !tileas::multipliesInLoop(getOperation()))
      return "without a product in a loop it takes longer to encode the tensor map than to load the tile";
    if (isForbiddenInLoop())
      return "threads load all tiles of a loop, as they must load another operand of its product";
    std::string direct = "no product reads the tile as it was loaded";
    std::vector<ProducerGroup> groups = findGroups();
    if (groups.empty())
      return direct;
    isTogether = llvm::any_of(groups, [](const ProducerGroup &group) { return group.hasGathered(); });
    tileas::ProducerSlice slice(getOperation(), isTogether);
    for (ProducerGroup &group : groups)
      for (tileas::ProducerLoad &staged : group.loads)
        if (!slice.addLoad(staged.load())) {
          const char *why = "its offsets or its condition are computed from tiles or read from memory";
          if (!staged.gathered)
            staged.load()->emitRemark() << "is not copied by the tensor memory accelerator: " << why;
          tileaa::answerWithoutTma(staged.load(), why);
          return "threads have to load another operand of a product";
        }
    shareRings(groups);
    std::optional<int64_t> stages = countStages(groups);
    if (!stages)
      return "shared memory has no room for two stages";
    rewrite(groups, slice, *stages);
    return direct;
  }

  // Whether a hint forbids TMA for an operand of a product in the same loop. The consumers would wait for that tile
  // after the producer has loaded the other; instead they prefetch both, and the other loads of the loop.
  bool isForbiddenInLoop() {
    auto multipliesHere = [](tileaa::LoadViewOp load) {
      auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
      return loop && tileas::feedsProduct(load.getTile(), loop, /*inside=*/false);
    };
    auto stop = [&](tileaa::LoadViewOp load) {
      return !tileaa::mayUseTma(load) && multipliesHere(load) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return getOperation().walk(stop).wasInterrupted();
  }

  bool multiplies() {
    auto stopAtProduct = [](Operation *op) {
      return tileas::multipliesByHardware(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return getOperation().walk(stopAtProduct).wasInterrupted();
  }

  std::vector<ProducerGroup> findGroups() {
    llvm::MapVector<Operation *, ProducerGroup> groups;
    tileas::TileSlopes slopes(getOperation());
    getOperation().walk([&](tileas::AllocOp alloc) {
      if (auto staged = tileas::producerLoad(alloc, slopes))
        groups[staged->firstUse].loads.push_back(*staged);
    });
    getOperation().walk([&](tileas::ConvertLayoutOp read) {
      if (auto staged = tileas::producerLoad(read))
        groups[read].loads.push_back(*staged);
    });
    std::vector<ProducerGroup> found;
    for (auto &[use, group] : groups)
      if (isWhole(group))
        found.push_back(std::move(group));
    return found;
  }

  // Rows are gathered by a producer with the other operand, or not at all: the threads that multiply would wait for one
  // after the producer has loaded the other.
  static bool isWhole(const ProducerGroup &group) {
    auto isLoadedBeside = [&](Value operand) {
      for (Operation *user : operand.getUsers()) {
        auto write = dyn_cast<tileas::WriteOp>(user);
        if (!write || write.getBuffer() != operand || write->getBlock() != group.block())
          continue;
        bool isGathered = write.getTile().getDefiningOp<tileaa::LoadPtrOp>() != nullptr;
        bool isStaged =
            llvm::any_of(group.loads, [&](const tileas::ProducerLoad &staged) { return staged.write == write; });
        if (!isStaged && (isGathered || (group.hasGathered() && tileas::stagedTile(write.getTile()))))
          return true;
      }
      return false;
    };
    return llvm::none_of(group.loads, [&](const tileas::ProducerLoad &staged) {
      return staged.alloc && llvm::any_of(staged.alloc->getUsers(), [&](Operation *user) {
               return llvm::any_of(user->getOperands(), isLoadedBeside);
             });
    });
  }

  void shareRings(std::vector<ProducerGroup> &groups) {
    rings.clear();
    for (ProducerGroup &group : groups) {
      SmallVector<tileas::BufferType> types;
      for (tileas::ProducerLoad &staged : group.loads)
        types.push_back(staged.buffer);
      bool isOnce = !outermostLoop(group.block()->getParentOp()) || group.firstUse()->getNumRegions() != 0;
      auto found = llvm::find_if(rings, [&](const Ring &ring) { return ring.takes(group, types, isOnce); });
      group.ring = found - rings.begin();
      if (found == rings.end())
        rings.push_back({types, group.gathered(), {}, isOnce, {}});
      rings[group.ring].blocks.push_back(group.block());
    }
  }

  // The outermost loop around an operation; null where there is none.
  static Operation *outermostLoop(Operation *op) {
    Operation *outermost = nullptr;
    for (Operation *parent = op; !isa<func::FuncOp>(parent); parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface>(parent))
        outermost = parent;
    return outermost;
  }

  // Bytes of the buffers that are live together with the pipelines: the most at one time until the last loop with
  // products ends, as the producer fills the stages of a loop while the consumers are still before it.
  int64_t bytesOfOthers(MutableArrayRef<ProducerGroup> groups) {
    DenseSet<Operation *> staged, users;
    for (ProducerGroup &group : groups)
      for (tileas::ProducerLoad &load : group.loads) {
        staged.insert(load.read ? load.read.getOperation() : load.alloc.getOperation());
        Operation *loop = outermostLoop(load.firstUse);
        users.insert(loop ? loop : load.firstUse);
      }
    tileas::SharedPlaces others(getOperation(), staged);
    int64_t most = 0;
    for (Operation *user : users)
      most = std::max(most, others.mostUntil(user));
    return most;
  }

  // Of all pipelines one after another, each at a multiple of 1024 bytes.
  int64_t bytesOfRings(int64_t stages) const {
    int64_t end = 0;
    for (const Ring &ring : rings)
      end += llvm::alignTo(ring.type(stages).getBytes(), 1024);
    return end;
  }

  // All pipelines of loops have as many, more than usual where the hint `latency` wants loads to come further ahead.
  std::optional<int64_t> countStages(MutableArrayRef<ProducerGroup> groups) {
    int64_t onceBytes = 0, stageBytes = 0;
    for (Ring &ring : rings)
      (ring.isOnce ? onceBytes : stageBytes) += ring.type(1).getBytes();
    int64_t limit = tileas::sharedLimit(getOperation(), *architecture), others = bytesOfOthers(groups);
    int64_t room = limit - others - spareBytes - onceBytes;
    if (stageBytes == 0)
      return room >= 0 ? std::optional<int64_t>(1) : std::nullopt;
    int64_t asked = 0;
    for (ProducerGroup &group : groups)
      for (tileas::ProducerLoad &staged : group.loads)
        if (!rings[group.ring].isOnce)
          asked = std::max(asked, tileaa::numberHinted(staged.load(), tileaa::hint::latency).value_or(0));
    int64_t stages = std::min(std::max<int64_t>(numStages, asked + 1), room / stageBytes);
    while (stages >= 2 && bytesOfRings(stages) + others > limit)
      --stages;
    if (stages < 2)
      return std::nullopt;
    return stages;
  }

  void rewrite(MutableArrayRef<ProducerGroup> groups, const tileas::ProducerSlice &slice, int64_t stages) {
    func::FuncOp function = getOperation();
    int32_t warps = tileas::warpsOf(function), consumers = warps / warpsOfGroup;
    Block &body = function.getBody().front();
    for (ProducerGroup &group : groups)
      for (tileas::ProducerLoad &staged : group.loads)
        if (!staged.gathered)
          tileas::hoistView(staged.tile.load.getView(), function);
    Operation *terminator = body.getTerminator();

    // Scalars stay where both agents see them; from the first operation of another kind on, all is the consumers'.
    SmallVector<Operation *> own;
    DenseSet<Operation *> moved;
    for (Operation &op : body.without_terminator()) {
      bool isShared = isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
                      llvm::none_of(op.getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }) &&
                      llvm::none_of(op.getOperands(), [&](Value operand) {
                        return operand.getDefiningOp() && moved.contains(operand.getDefiningOp());
                      });
      if (!isShared) {
        own.push_back(&op);
        moved.insert(&op);
      }
    }

    OpBuilder builder(terminator);
    Location loc = function.getLoc();
    bool byOne = architecture->hasTcgen05();
    for (Ring &ring : rings)
      ring.pipeline = tileas::CreatePipelineOp::create(builder, loc, ring.type(stages), byOne ? 1 : consumers,
                                                       IntegerAttr(), byOne);
    // The consumers get the registers that the producer does not need.
    std::array<int32_t, 2> registers =
        tileas::handOver(warps, warpsOfGroup, isTogether ? registersOfGatherer : registersOfStarter);
    auto agents = tileas::AgentsOp::create(builder, loc, ArrayRef<int32_t>{warps, warpsOfGroup}, registers);
    Block &consumer = agents.getConsumer().emplaceBlock(), &producer = agents.getProducer().emplaceBlock();

    // The producer's part first: it is a copy of what is still there.
    DenseMap<Operation *, std::pair<ProducerGroup *, unsigned>> places;
    for (ProducerGroup &group : groups)
      for (auto [index, staged] : llvm::enumerate(group.loads))
        places[staged.load()] = {&group, unsigned(index)};
    auto inside = OpBuilder::atBlockEnd(&producer);
    IRMapping mapping;
    for (Operation *op : own)
      copy(op, slice, places, mapping, inside);

    for (Operation *op : own)
      op->moveBefore(&consumer, consumer.end());
    for (ProducerGroup &group : groups)
      consume(group, rings[group.ring].isOnce ? 0 : stages - 1);
    leaveRunning();
    if (isTogether)
      eraseUnused(agents);
    function->setAttr(tileas::threadsAttr, builder.getI32IntegerAttr((warps + warpsOfGroup) * 32));
  }

  using Places = DenseMap<Operation *, std::pair<ProducerGroup *, unsigned>>;

  void copy(Operation *op, const tileas::ProducerSlice &slice, const Places &places, IRMapping &mapping,
            OpBuilder &builder) {
    if (auto place = places.find(op); place != places.end()) {
      produce(*place->second.first, place->second.second, mapping, builder);
      return;
    }
    if (!slice.contains(op))
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      copyLoop(loop, slice, places, mapping, builder);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      auto now = scf::IfOp::create(builder, op->getLoc(), mapping.lookupOrDefault(branch.getCondition()),
                                   !branch.getElseRegion().empty());
      for (auto [old, region] : llvm::zip(branch->getRegions(), now->getRegions())) {
        if (old.empty())
          continue;
        auto inside = OpBuilder::atBlockBegin(&region.front());
        for (Operation &inner : old.front().without_terminator())
          copy(&inner, slice, places, mapping, inside);
      }
    } else {
      tileas::ProducerSlice::copy(op, warpsOfGroup, mapping, builder);
    }
  }

  void copyLoop(scf::ForOp loop, const tileas::ProducerSlice &slice, const Places &places, IRMapping &mapping,
                OpBuilder &builder) {
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
      copy(&inner, slice, places, mapping, inside);
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
    if (tileaa::LoadPtrOp gather = staged.gathered)
      tileas::AsyncLoadPtrOp::create(builder, loc, mapping.lookupOrDefault(gather.getAddresses()),
                                     mapping.lookupOrNull(gather.getMask()), Value(), pipeline, Value(), index,
                                     Value());
    else
      startBox(staged, pipeline, index, mapping, builder);
    if (isLast)
      tileas::ProducerCommitOp::create(builder, loc, pipeline);
  }

  void startBox(tileas::ProducerLoad &staged, Value pipeline, unsigned index, IRMapping &mapping, OpBuilder &builder) {
    tileaa::LoadViewOp load = staged.tile.load;
    Location loc = load.getLoc();
    SmallVector<Value> offsets;
    for (Value offset : load.getOffsets())
      offsets.push_back(mapping.lookupOrDefault(offset));
    // Views are made of parameters: both agents see them.
    OpBuilder outside(pipeline.getDefiningOp());
    Value desc = tileas::MakeTmaDescOp::create(outside, loc, tileas::TmaDescType::get(&getContext()), load.getView(),
                                               staged.access.box, unsigned(staged.access.swizzle),
                                               staged.tile.format ? TypeAttr::get(*staged.tile.format) : TypeAttr(),
                                               /*stored=*/false);
    tileas::TmaLoadOp::create(builder, loc, desc, offsets, pipeline, index, staged.access.splitDim,
                              staged.access.boxes);
  }

  static void answerHints(tileas::TileLoad load, int64_t ahead) {
    if (load.ofView())
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
      Value buffer = tileas::ConsumerReadOp::create(builder, loc, staged.buffer, pipeline, index);
      answerHints(staged.load(), ahead);
      if (staged.read) {
        lastUse = readIntoRegisters(staged, buffer);
        continue;
      }
      staged.alloc.replaceAllUsesWith(buffer);
      staged.write.erase();
      staged.alloc.erase();
      for (Operation *op : staged.tile.through)
        op->erase();
      eraseFromTokens(staged.load(), staged.load().token());
    }
    builder.setInsertionPointAfter(lastUse);
    tileas::ConsumerReleaseOp::create(builder, lastUse->getLoc(), pipeline);
  }

  // A staged tile is rounded after it is read.
  static Operation *readIntoRegisters(tileas::ProducerLoad &staged, Value buffer) {
    OpBuilder builder(staged.read);
    staged.rounding.getResult().replaceAllUsesWith(staged.rounding.getSource());
    staged.rounding.erase();
    auto read = tileas::ReadOp::create(builder, staged.read.getLoc(), staged.read.getType(), buffer, ValueRange());
    staged.read.replaceAllUsesWith(read.getResult());
    staged.read.erase();
    eraseFromTokens(staged.load(), staged.load().token());
    return read;
  }

  // Products whose buffers nobody but the producer writes need not be waited for: stages are released when they end.
  void leaveRunning() {
    getOperation().walk([](tileas::TmemMmaOp mma) {
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

  // Erases operations that only the producer's loads used.
  static void eraseUnused(tileas::AgentsOp agents) {
    agents->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

  // For what is exchanged of small tiles.
  static constexpr int64_t spareBytes = 1 << 10;
  std::vector<Ring> rings;
  bool isTogether = false; // all threads of the producer run it
  const nvidia::Architecture *architecture = nullptr;
};

} // namespace
