// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Architecture.h"
#include "tileas/transforms/Passes.h"
#include "tileas/transforms/TmaAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASMATERIALIZEASYNC
#include "tileas/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int32_t warpsOfGroup = 4;

// A load that goes straight into a buffer, from which one product reads it.
struct StagedLoad {
  tileaa::LoadViewOp load;
  tileas::WriteOp write;
  tileas::AllocOp alloc;
  tileas::MmaOp mma;
  tileas::TmaAccess access;
};

// Loads of one product, which come together.
struct StagedGroup {
  SmallVector<StagedLoad, 2> loads;
  Value pipeline, consumerPipeline;
};

std::optional<StagedLoad> matchLoad(Value buffer, tileas::MmaOp mma) {
  auto alloc = buffer.getDefiningOp<tileas::AllocOp>();
  if (!alloc || !llvm::hasNItems(alloc->getUses(), 2))
    return std::nullopt;
  tileas::WriteOp write;
  for (Operation *user : alloc->getUsers())
    if (auto found = dyn_cast<tileas::WriteOp>(user))
      write = found;
  auto load = write ? write.getTile().getDefiningOp<tileaa::LoadViewOp>() : nullptr;
  if (!load || !load.getTile().hasOneUse() || load->getBlock() != mma->getBlock() ||
      write->getBlock() != mma->getBlock())
    return std::nullopt;
  if (load.getPadding() && *load.getPadding() != "zero") {
    load.emitRemark() << "is not copied by the tensor memory accelerator: it is padded with " << *load.getPadding();
    return std::nullopt;
  }
  std::string why;
  auto type = cast<RankedTensorType>(load.getTile().getType());
  auto access = tileas::describeTmaAccess(load.getView(), load.getDimMap(), type.getShape(), why);
  if (!access) {
    load.emitRemark() << "is not copied by the tensor memory accelerator: " << why;
    return std::nullopt;
  }
  if (access->layout != alloc.getBuffer().getType().getLayout().getLayout())
    return std::nullopt;
  return StagedLoad{load, write, alloc, mma, *access};
}

// What the producer has to compute: offsets of loads, bounds of loops around them, conditions.
class Slice {
public:
  explicit Slice(func::FuncOp function) : function(function) {}

  bool addLoad(tileaa::LoadViewOp load) {
    loads.insert(load);
    return addParents(load) && addAll(load.getOffsets());
  }
  bool contains(Operation *op) const { return ops.contains(op); }
  bool contains(Value value) const { return values.contains(value); }

private:
  bool addAll(ValueRange range) {
    return llvm::all_of(range, [&](Value value) { return add(value); });
  }
  bool addParents(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent != function; parent = parent->getParentOp()) {
      if (!ops.insert(parent).second)
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        if (!addAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
          return false;
      } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
        if (!add(branch.getCondition()))
          return false;
      } else {
        return false;
      }
    }
    return true;
  }
  bool add(Value value) {
    if (!values.insert(value).second)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent == function)
        return true;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || !addParents(&argument.getOwner()->front()))
        return false;
      if (argument == loop.getInductionVar())
        return true;
      unsigned index = argument.getArgNumber() - 1;
      return add(loop.getInitArgs()[index]) && add(loop.getYieldedValues()[index]) && add(loop.getResult(index));
    }
    Operation *op = value.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      ops.insert(op);
      return addParents(op) && addAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) &&
             add(loop.getRegionIterArg(index));
    }
    if (isa<RankedTensorType>(value.getType()) || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
      return false;
    ops.insert(op);
    return addParents(op) && addAll(op->getOperands());
  }

  func::FuncOp function;
  DenseSet<Operation *> ops, loads;
  DenseSet<Value> values;
};

class MaterializeAsync : public tilewright::impl::TileasMaterializeAsyncBase<MaterializeAsync> {
public:
  using TileasMaterializeAsyncBase::TileasMaterializeAsyncBase;

  void runOnOperation() override {
    auto known = nvidia::parseArchitecture(arch);
    if (!known) {
      getOperation().emitError() << llvm::toString(known.takeError());
      return signalPassFailure();
    }
    architecture = *known;
    if (!architecture->hasWgmma())
      return;
    std::vector<StagedGroup> groups = findGroups();
    if (groups.empty())
      return;
    Slice slice(getOperation());
    for (StagedGroup &group : groups)
      for (StagedLoad &staged : group.loads)
        if (!slice.addLoad(staged.load)) {
          staged.load.emitRemark()
              << "is not loaded ahead: where it is, or whether it happens, is computed from tiles or "
                 "read from memory";
          return;
        }
    if (std::optional<int64_t> stages = countStages(groups))
      rewrite(groups, slice, *stages);
  }

private:
  std::vector<StagedGroup> findGroups() {
    std::vector<StagedGroup> groups;
    getOperation().walk([&](tileas::MmaOp mma) {
      if (mma.getAtom().getKind() != tileas::AtomKind::Wgmma)
        return;
      StagedGroup group;
      for (Value operand : {mma.getLhs(), mma.getRhs()})
        if (auto staged = matchLoad(operand, mma))
          group.loads.push_back(*staged);
      if (!group.loads.empty())
        groups.push_back(group);
    });
    return groups;
  }

  // What other tiles want while the pipelines are there: those in the loops that the products are in.
  static int64_t bytesOfOthers(MutableArrayRef<StagedGroup> groups) {
    DenseSet<Operation *> staged, loops;
    for (StagedGroup &group : groups)
      for (StagedLoad &load : group.loads) {
        staged.insert(load.alloc);
        Operation *outermost = nullptr;
        for (Operation *parent = load.mma->getParentOp(); !isa<func::FuncOp>(parent); parent = parent->getParentOp())
          if (isa<LoopLikeOpInterface>(parent))
            outermost = parent;
        if (outermost)
          loops.insert(outermost);
      }
    int64_t most = 0;
    for (Operation *loop : loops)
      loop->walk([&](Operation *op) {
        if (auto alloc = dyn_cast<tileas::AllocOp>(op); alloc && !staged.contains(op))
          most = std::max(most, alloc.getBuffer().getType().getBytes());
        if (auto convert = dyn_cast<tileas::ConvertLayoutOp>(op)) {
          auto type = cast<RankedTensorType>(convert.getType());
          most = std::max(most, type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
        }
      });
    return llvm::alignTo(most, 1024);
  }

  // All pipelines have as many.
  std::optional<int64_t> countStages(MutableArrayRef<StagedGroup> groups) {
    int64_t stageBytes = 0;
    for (StagedGroup &group : groups) {
      for (StagedLoad &staged : group.loads)
        stageBytes += llvm::alignTo(staged.alloc.getBuffer().getType().getBytes(), 1024);
      stageBytes += 16;
    }
    int64_t room = architecture->sharedBytesPerBlock() - bytesOfOthers(groups) - spareBytes;
    int64_t stages = std::min<int64_t>(numStages, room / stageBytes);
    if (stages < 2)
      return std::nullopt;
    return stages;
  }

  void rewrite(MutableArrayRef<StagedGroup> groups, const Slice &slice, int64_t stages) {
    func::FuncOp function = getOperation();
    int32_t warps = tileas::warpsOf(function), consumers = warps / warpsOfGroup;
    Block &body = function.getBody().front();
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
    for (StagedGroup &group : groups) {
      SmallVector<tileas::BufferType> buffers;
      for (StagedLoad &staged : group.loads)
        buffers.push_back(staged.alloc.getBuffer().getType());
      auto type = tileas::PipelineType::get(&getContext(), stages, buffers);
      group.pipeline = tileas::CreatePipelineOp::create(builder, loc, type, consumers, IntegerAttr());
    }
    // With two warpgroups and more, what the producer does not need is theirs: 64 K registers in all.
    static constexpr std::pair<int32_t, int32_t> handed[] = {{0, 0}, {240, 24}, {160, 24}, {112, 24}};
    auto [more, fewer] = handed[std::min(consumers, 4) - 1];
    auto agents =
        tileas::AgentsOp::create(builder, loc, ArrayRef<int32_t>{warps, warpsOfGroup}, ArrayRef<int32_t>{more, fewer});
    Block &consumer = agents.getConsumer().emplaceBlock(), &producer = agents.getProducer().emplaceBlock();

    // The producer's part first: it is a copy of what is still there.
    DenseMap<Operation *, std::pair<StagedGroup *, unsigned>> places;
    for (StagedGroup &group : groups)
      for (auto [index, staged] : llvm::enumerate(group.loads))
        places[staged.load] = {&group, unsigned(index)};
    auto inside = OpBuilder::atBlockEnd(&producer);
    IRMapping mapping;
    for (Operation *op : own)
      copy(op, slice, places, mapping, inside);

    for (Operation *op : own)
      op->moveBefore(&consumer, consumer.end());
    for (StagedGroup &group : groups)
      consume(group);
    function->setAttr(tileas::threadsAttr, builder.getI32IntegerAttr((warps + warpsOfGroup) * 32));
  }

  using Places = DenseMap<Operation *, std::pair<StagedGroup *, unsigned>>;

  void copy(Operation *op, const Slice &slice, const Places &places, IRMapping &mapping, OpBuilder &builder) {
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
      builder.clone(*op, mapping);
    }
  }

  void copyLoop(scf::ForOp loop, const Slice &slice, const Places &places, IRMapping &mapping, OpBuilder &builder) {
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
  void produce(StagedGroup &group, unsigned index, IRMapping &mapping, OpBuilder &builder) {
    StagedLoad &staged = group.loads[index];
    Location loc = staged.load.getLoc();
    auto isBefore = [](const StagedLoad &a, const StagedLoad &b) { return a.load->isBeforeInBlock(b.load); };
    bool isFirst = &*llvm::min_element(group.loads, isBefore) == &staged;
    bool isLast = &*llvm::max_element(group.loads, isBefore) == &staged;
    if (isFirst)
      tileas::ProducerAcquireOp::create(builder, loc, group.pipeline);
    SmallVector<Value> offsets;
    for (Value offset : staged.load.getOffsets())
      offsets.push_back(mapping.lookupOrDefault(offset));
    // Views are made of parameters: both agents see them.
    OpBuilder outside(group.pipeline.getDefiningOp());
    Value desc =
        tileas::MakeTmaDescOp::create(outside, loc, tileas::TmaDescType::get(&getContext()), staged.load.getView(),
                                      staged.access.box, unsigned(staged.access.swizzle));
    tileas::TmaLoadOp::create(builder, loc, desc, offsets, group.pipeline, index, staged.access.splitDim,
                              staged.access.boxes);
    if (isLast)
      tileas::ProducerCommitOp::create(builder, loc, group.pipeline);
  }

  void consume(StagedGroup &group) {
    tileas::MmaOp mma = group.loads.front().mma;
    OpBuilder builder(mma);
    Location loc = mma.getLoc();
    tileas::ConsumerWaitOp::create(builder, loc, group.pipeline);
    for (auto [index, staged] : llvm::enumerate(group.loads)) {
      Value buffer =
          tileas::ConsumerReadOp::create(builder, loc, staged.alloc.getBuffer().getType(), group.pipeline, index);
      staged.alloc.replaceAllUsesWith(buffer);
      staged.write.erase();
      staged.alloc.erase();
      Value token = tileaa::MakeTokenOp::create(builder, loc);
      // Nothing may be ordered before it that is not in the program: what it came after, its successors come after.
      staged.load.getResultToken().replaceAllUsesWith(staged.load.getToken() ? staged.load.getToken() : Value(token));
      staged.load.erase();
    }
    builder.setInsertionPointAfter(mma);
    tileas::ConsumerReleaseOp::create(builder, loc, group.pipeline);
  }

  // For what is exchanged of small tiles.
  static constexpr int64_t spareBytes = 1 << 10;
  const nvidia::Architecture *architecture = nullptr;
};

} // namespace
