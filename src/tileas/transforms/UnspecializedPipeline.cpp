// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop's loads are started D iterations ahead of where their tiles are used:
//
//   copies of iterations 0 to D-1                   each a group, none where the loop has fewer iterations
//   for iteration i:
//     wait for group i, and for all threads         now everybody sees stage i, and nobody reads stage i-1 any more
//     copies of iteration i+D into stage (i+D) % N  which is stage (i-1) % N, as D = N-1
//     group, even if it is empty                    so that D-1 groups are always younger than the next one
//     what the iteration does, from stage i % N
//
// Nothing is copied for iterations that there are not, so no copy is on its way when the loop is over.
#include "layout/Distributed.h"
#include "target/nvidia/Architecture.h"
#include "tileas/analysis/ViewMemory.h"
#include "tileas/transforms/LoopLoads.h"
#include "tileas/transforms/Passes.h"
#include "tileas/transforms/StageLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASUNSPECIALIZEDPIPELINE
#include "tileas/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

struct StagedLoad {
  tileaa::LoadViewOp load;
  tileas::BufferType buffer;
  // The buffer that it was written to in this iteration, which the stage's takes the place of.
  tileas::WriteOp write;
};

tileas::AllocOp writtenFor(tileas::WriteOp write) {
  auto alloc = write.getBuffer().getDefiningOp<tileas::AllocOp>();
  bool isOwn = alloc && llvm::all_of(alloc->getUsers(), [&](Operation *user) {
                 return user == write || (isa<tileas::MmaOp>(user) && user->getBlock() == write->getBlock());
               });
  return isOwn ? alloc : tileas::AllocOp();
}

// What is wanted of a tile by products, as layouts of registers.
SmallVector<layout::LinearLayout> wantedLayouts(tileaa::LoadViewOp load) {
  SmallVector<layout::LinearLayout> wanted;
  for (Operation *user : load.getTile().getUsers())
    if (auto convert = dyn_cast<tileas::ConvertLayoutOp>(user))
      wanted.push_back(tileas::layoutOf(convert.getResult()));
  if (wanted.empty())
    wanted.push_back(tileas::layoutOf(load.getTile()));
  return wanted;
}

class UnspecializedPipeline : public tilewright::impl::TileasUnspecializedPipelineBase<UnspecializedPipeline> {
public:
  using TileasUnspecializedPipelineBase::TileasUnspecializedPipelineBase;

  void runOnOperation() override {
    auto known = nvidia::parseArchitecture(arch);
    if (!known) {
      getOperation().emitError() << llvm::toString(known.takeError());
      return signalPassFailure();
    }
    architecture = *known;
    // Where there are agents, one of them copies ahead, and has the memory for it.
    bool hasAgents = getOperation().walk([](tileas::AgentsOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!architecture->has(nvidia::Feature::CpAsync) || hasAgents)
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      pipeline(loop);
  }

private:
  void pipeline(scf::ForOp loop) {
    tileas::LoopLoads found(loop);
    SmallVector<StagedLoad> staged;
    for (tileaa::LoadViewOp load : found.ahead()) {
      auto copier = copyLayout(load);
      int64_t bytes = bytesOf(load);
      int64_t atOnce = bytes * tileas::elementsAtOnce(load, copier);
      if (atOnce < leastCopy) {
        load.emitRemark() << "is not copied ahead: no more than " << atOnce
                          << " bytes of it are known to begin at a multiple of their size, and copies have "
                          << leastCopy;
        continue;
      }
      StagedLoad &one = staged.emplace_back();
      one.load = load;
      for (Operation *user : load.getTile().getUsers())
        if (auto write = dyn_cast<tileas::WriteOp>(user); write && !one.write && writtenFor(write))
          one.write = write;
      if (one.write) {
        one.buffer = one.write.getBuffer().getType();
        continue;
      }
      auto type = cast<RankedTensorType>(load.getTile().getType());
      layout::LinearLayout layout = tileas::chooseStageLayout(type.getShape(), tileas::orderOf(tileas::memoryOf(load)),
                                                              bytes, wantedLayouts(load));
      one.buffer = tileas::BufferType::get(&getContext(), type.getShape(), type.getElementType(),
                                           tileas::LayoutAttr::get(&getContext(), layout));
    }
    if (staged.empty())
      return;
    if (std::optional<int64_t> stages = countStages(loop, staged))
      rewrite(loop, staged, found, *stages);
    else
      loop.emitRemark() << "has no room in shared memory to be loaded ahead";
  }

  static int64_t bytesOf(tileaa::LoadViewOp load) {
    return std::max(1u, getElementTypeOrSelf(load.getTile().getType()).getIntOrFloatBitWidth() / 8);
  }
  layout::LinearLayout copyLayout(tileaa::LoadViewOp load) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(load.getTile().getType()).getShape();
    int64_t warps = tileas::warpsOf(getOperation());
    return layout::blockedLayout(layout::chooseBlocked(shape, tileas::memoryOf(load), warps), shape);
  }

  // What else is in shared memory while the loop runs.
  int64_t bytesOfOthers(scf::ForOp loop, ArrayRef<StagedLoad> staged) {
    int64_t all = 0, converted = 0;
    getOperation().walk([&](Operation *op) {
      if (auto alloc = dyn_cast<tileas::AllocOp>(op)) {
        bool isStaged = llvm::any_of(
            staged, [&](StagedLoad one) { return one.write && one.write.getBuffer() == alloc.getBuffer(); });
        all += isStaged ? 0 : llvm::alignTo(alloc.getBuffer().getType().getBytes(), 1024);
      } else if (auto alloca = dyn_cast<tileaa::AllocaOp>(op)) {
        all += llvm::alignTo(alloca.getBytes(), 1024);
      } else if (auto inner = dyn_cast<tileas::CreatePipelineOp>(op); inner && loop->isAncestor(op)) {
        all += llvm::alignTo(inner.getPipeline().getType().getBytes(), 1024);
      } else if (auto convert = dyn_cast<tileas::ConvertLayoutOp>(op); convert && loop->isAncestor(op)) {
        auto type = cast<RankedTensorType>(convert.getType());
        converted =
            std::max(converted, type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
      }
    });
    return all + llvm::alignTo(converted, 1024);
  }

  // As many as the block may have, at most four; where its registers leave room for a second block on the SM, so does
  // its memory, if that is enough for three.
  std::optional<int64_t> countStages(scf::ForOp loop, ArrayRef<StagedLoad> staged) {
    int64_t stageBytes = 16;
    for (const StagedLoad &one : staged)
      stageBytes += llvm::alignTo(one.buffer.getBytes(), 1024);
    int64_t taken = bytesOfOthers(loop, staged) + spareBytes;
    auto stagesIn = [&](int64_t room) { return std::min<int64_t>(numStages, (room - taken) / stageBytes); };
    int64_t largest = 0, threads = tileas::warpsOf(getOperation()) * 32;
    for (Value carried : loop.getRegionIterArgs())
      if (auto tile = dyn_cast<RankedTensorType>(carried.getType()))
        largest += tile.getNumElements() * tile.getElementTypeBitWidth() / 32 / threads;
    bool leavesRoom = 2 * threads * (largest + registersOfOthers) <= nvidia::Architecture::registersPerSm &&
                      2 * threads <= architecture->threadsPerSm;
    int64_t half = stagesIn(architecture->sharedBytesPerSm / 2 - nvidia::Architecture::reservedSharedBytes);
    int64_t stages = leavesRoom && half >= 3 ? half : stagesIn(architecture->sharedBytesPerBlock());
    return stages < 2 ? std::nullopt : std::optional(stages);
  }

  void rewrite(scf::ForOp loop, MutableArrayRef<StagedLoad> staged, const tileas::LoopLoads &found, int64_t stages) {
    IRRewriter builder(loop);
    Location loc = loop.getLoc();
    int64_t distance = stages - 1;
    Type counter = loop.getInductionVar().getType();
    auto number = [&](Type type, int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
    };
    // Who is still in the last iteration of the time before reads a stage that is now filled.
    if (loop->getParentOfType<LoopLikeOpInterface>())
      tileas::BarrierOp::create(builder, loc);
    SmallVector<tileas::BufferType> buffers;
    for (StagedLoad &one : staged)
      buffers.push_back(one.buffer);
    Value pipeline = tileas::CreatePipelineOp::create(
        builder, loc, tileas::PipelineType::get(&getContext(), stages, buffers), 0, IntegerAttr());

    SmallVector<Value> tokens;
    for (StagedLoad &one : staged)
      tokens.push_back(tokenBefore(loop, one.load, builder));

    auto start = [&](const IRMapping &mapping, Value stage, Value condition) {
      for (auto [index, one] : llvm::enumerate(staged)) {
        SmallVector<Value> offsets;
        for (Value offset : one.load.getOffsets())
          offsets.push_back(mapping.lookupOrDefault(offset));
        tileas::AsyncLoadOp::create(builder, one.load.getLoc(), one.load.getView(), offsets, tokens[index], pipeline,
                                    stage, index, condition, one.load.getDimMapAttr(), one.load.getInboundsAttr(),
                                    tileas::LayoutAttr::get(&getContext(), copyLayout(one.load)));
      }
      tileas::AsyncCommitOp::create(builder, loc);
    };

    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value length = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), loop.getLowerBound());
    Value some = builder.createOrFold<arith::CmpIOp>(loc, less, loop.getLowerBound(), loop.getUpperBound());
    Value trips = builder.createOrFold<arith::SelectOp>(
        loc, some, builder.createOrFold<arith::CeilDivUIOp>(loc, length, loop.getStep()), number(counter, 0));
    auto moreThan = [&](Value left, int64_t count) {
      return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, left, number(counter, count));
    };

    tileas::LoopLoads::State state = found.first();
    for (int64_t iteration = 0; iteration != distance; ++iteration) {
      IRMapping mapping = found.compute(state, builder);
      start(mapping, number(builder.getI32Type(), iteration), moreThan(trips, iteration));
      state = found.next(state, mapping, builder);
    }

    // The stage to read, the stage to fill, how many iterations are left, and what the loop carries of those ahead.
    Type i32 = builder.getI32Type();
    SmallVector<Value> inits{number(i32, 0), number(i32, distance), trips};
    llvm::append_range(inits, state.carried);
    Value filled = number(i32, stages), none = number(i32, 0), one = number(i32, 1), step = number(counter, 1);
    Value skipped = builder.createOrFold<arith::MulIOp>(loc, loop.getStep(), number(counter, distance));
    Value reading;
    DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
    auto body = [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      builder.setInsertionPointToStart(loop.getBody());
      reading = carried[0];
      tileas::AsyncWaitOp::create(builder, loc, pipeline, distance - 1);
      tileas::LoopLoads::State later;
      later.induction = arith::AddIOp::create(builder, loc, loop.getInductionVar(), skipped);
      later.carried.append(carried.begin() + 3, carried.end());
      IRMapping mapping = found.compute(later, builder);
      start(mapping, carried[1], moreThan(carried[2], distance));
      SmallVector<Value> next;
      for (Value stage : carried.take_front(2)) {
        Value after = arith::AddIOp::create(builder, loc, stage, one);
        Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, after, filled);
        next.push_back(arith::SelectOp::create(builder, loc, wraps, none, after));
      }
      next.push_back(arith::SubIOp::create(builder, loc, carried[2], step));
      llvm::append_range(next, found.carriedNext(mapping));
      return next;
    };
    auto now = cast<scf::ForOp>(
        loop.replaceWithAdditionalYields(builder, inits, /*replaceInitOperandUsesInLoop=*/false, body)->getOperation());
    now->setDiscardableAttrs(attributes);
    builder.setInsertionPoint(staged.front().load);
    reading = now.getRegionIterArgs().drop_back(inits.size() - 1).back();
    for (auto [index, load] : llvm::enumerate(staged))
      readFromStage(load, pipeline, reading, index, builder);
  }

  // What a load comes after, at the loop's begin.
  static Value tokenBefore(scf::ForOp loop, tileaa::LoadViewOp load, OpBuilder &builder) {
    SmallVector<Value> tokens = tileas::tokensAtEntry(loop, load.getToken())->takeVector();
    if (tokens.size() < 2)
      return tokens.empty() ? Value() : tokens[0];
    return tileaa::JoinTokensOp::create(builder, load.getLoc(), tokens);
  }

  void readFromStage(StagedLoad &staged, Value pipeline, Value stage, unsigned index, IRRewriter &builder) {
    tileaa::LoadViewOp load = staged.load;
    Location loc = load.getLoc();
    builder.setInsertionPoint(load);
    Value buffer = tileas::StageOp::create(builder, loc, staged.buffer, pipeline, stage, index);
    if (staged.write) {
      auto alloc = staged.write.getBuffer().getDefiningOp<tileas::AllocOp>();
      staged.write.erase();
      builder.replaceOp(alloc, buffer);
    }
    for (OpOperand &use : llvm::make_early_inc_range(load.getTile().getUses())) {
      auto convert = dyn_cast<tileas::ConvertLayoutOp>(use.getOwner());
      if (!convert)
        continue;
      for (OpOperand &wanted : llvm::make_early_inc_range(convert.getResult().getUses()))
        if (auto mma = dyn_cast<tileas::MmaOp>(wanted.getOwner());
            mma && mma.getAtom().getKind() == tileas::AtomKind::MmaSync && &wanted != &mma.getAccMutable())
          wanted.set(buffer);
      if (!convert->use_empty()) {
        builder.setInsertionPoint(convert);
        convert.replaceAllUsesWith(
            tileas::ReadOp::create(builder, loc, convert.getType(), buffer, ValueRange()).getResult());
      }
      convert.erase();
    }
    if (!load.getTile().use_empty()) {
      builder.setInsertionPoint(load);
      load.getTile().replaceAllUsesWith(
          tileas::ReadOp::create(builder, loc, load.getTile().getType(), buffer, ValueRange()).getResult());
    }
    // All threads have waited for it: what comes after it comes after what it came after.
    Value token = load.getToken();
    if (!token) {
      builder.setInsertionPoint(load);
      token = tileaa::MakeTokenOp::create(builder, loc);
    }
    load.getResultToken().replaceAllUsesWith(token);
    load.erase();
  }

  static constexpr int64_t leastCopy = 4;
  // For what is exchanged of small tiles.
  static constexpr int64_t spareBytes = 1 << 10;
  // What a thread has besides what the loop carries: fragments, addresses.
  static constexpr int64_t registersOfOthers = 64;
  const nvidia::Architecture *architecture = nullptr;
};

} // namespace
