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
//
// A product of warpgroups whose sums go to the next iteration's only is left running: each waits for the one before it.
// Then, when all threads have come to wait i, stage i-2 is the last that nobody reads, and D = N-2.
//
// What is too narrow for copies is loaded into registers at the begin of an iteration and written to the next stage at
// its end: the product between them has the time that the load takes. D is 1 then.
#include "layout/Distributed.h"
#include "target/nvidia/Architecture.h"
#include "tileas/analysis/ViewMemory.h"
#include "tileas/transforms/LoadUses.h"
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
  bool throughRegisters = false;
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
    tileas::bringLoadsToUses(loop);
    tileas::LoopLoads found(loop);
    SmallVector<StagedLoad> staged;
    for (tileaa::LoadViewOp load : found.ahead()) {
      int64_t bytes = bytesOf(load);
      StagedLoad one{load, {}, {}, bytes * tileas::elementsAtOnce(load, copyLayout(load)) < leastCopy};
      for (Operation *user : load.getTile().getUsers())
        if (auto write = dyn_cast<tileas::WriteOp>(user); write && !one.write && writtenFor(write))
          one.write = write;
      if (one.write) {
        one.buffer = one.write.getBuffer().getType();
      } else {
        auto type = cast<RankedTensorType>(load.getTile().getType());
        layout::LinearLayout layout = tileas::chooseStageLayout(
            type.getShape(), tileas::orderOf(tileas::memoryOf(load)), bytes, wantedLayouts(load));
        one.buffer = tileas::BufferType::get(&getContext(), type.getShape(), type.getElementType(),
                                             tileas::LayoutAttr::get(&getContext(), layout));
      }
      staged.push_back(one);
    }
    keepRegisters(loop, staged);
    if (staged.empty())
      return;
    if (std::optional<int64_t> stages = countStages(loop, staged))
      rewrite(loop, staged, found, *stages);
    else
      loop.emitRemark() << "has no room in shared memory to be loaded ahead";
  }

  int64_t threads() { return tileas::warpsOf(getOperation()) * 32; }
  // Words of a thread that the loop carries.
  int64_t registersCarried(scf::ForOp loop) {
    int64_t words = 0;
    for (Value carried : loop.getRegionIterArgs())
      if (auto tile = dyn_cast<RankedTensorType>(carried.getType()))
        words += tile.getNumElements() * tile.getElementTypeBitWidth() / 32 / threads();
    return words;
  }

  // Loads that would be in registers while the product runs stay where they are if there are not as many.
  void keepRegisters(scf::ForOp loop, SmallVector<StagedLoad> &staged) {
    int64_t needed = registersCarried(loop) + registersOfOthers;
    for (StagedLoad &one : staged)
      if (one.throughRegisters)
        needed += one.buffer.getLayout().getLayout().inputSize(layout::Dim::Offset) *
                  std::max<int64_t>(1, bytesOf(one.load) / 4) / threads();
    if (needed <= nvidia::Architecture::registersPerThread)
      return;
    llvm::erase_if(staged, [&](StagedLoad &one) {
      if (one.throughRegisters)
        one.load.emitRemark() << "is not loaded ahead: a thread would need " << needed << " registers";
      return one.throughRegisters;
    });
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
    bool leavesRoom =
        2 * threads() * (registersCarried(loop) + registersOfOthers) <= nvidia::Architecture::registersPerSm &&
        2 * threads() <= architecture->threadsPerSm;
    int64_t half = stagesIn(architecture->sharedBytesPerSm / 2 - nvidia::Architecture::reservedSharedBytes);
    int64_t stages = leavesRoom && half >= 3 ? half : stagesIn(architecture->sharedBytesPerBlock());
    return stages < 2 ? std::nullopt : std::optional(stages);
  }

  // The loop's one product, if it can be left running: it reads stages, or buffers that the loop does not write.
  static tileas::MmaOp findRunning(scf::ForOp loop, ArrayRef<StagedLoad> staged) {
    SmallVector<tileas::MmaOp> products;
    loop.walk([&](tileas::MmaOp mma) { products.push_back(mma); });
    if (products.size() != 1 || products[0]->getBlock() != loop.getBody())
      return {};
    tileas::MmaOp mma = products[0];
    Type element = getElementTypeOrSelf(mma.getType());
    if (mma.getAtom().getKind() != tileas::AtomKind::Wgmma || !(element.isF32() || element.isInteger(32)))
      return {};
    for (Value operand : {mma.getLhs(), mma.getRhs()}) {
      bool isStage =
          llvm::any_of(staged, [&](StagedLoad one) { return one.write && one.write.getBuffer() == operand; });
      if (!isStage &&
          (!isa<tileas::BufferType>(operand.getType()) || loop->isAncestor(operand.getParentBlock()->getParentOp())))
        return {};
    }
    auto sum = dyn_cast<BlockArgument>(mma.getAcc());
    if (!sum || sum.getOwner() != loop.getBody() || !sum.hasOneUse() || !mma.getResult().hasOneUse() ||
        loop.getYieldedValues()[sum.getArgNumber() - 1] != mma.getResult())
      return {};
    return mma;
  }

  void rewrite(scf::ForOp loop, MutableArrayRef<StagedLoad> staged, const tileas::LoopLoads &found, int64_t stages) {
    IRRewriter builder(loop);
    Location loc = loop.getLoc();
    tileas::MmaOp running = stages > 2 ? findRunning(loop, staged) : tileas::MmaOp();
    int64_t distance = stages - (running ? 2 : 1);
    if (llvm::any_of(staged, [](StagedLoad &one) { return one.throughRegisters; }))
      stages -= distance - 1, distance = 1;
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
        if (one.throughRegisters)
          continue;
        SmallVector<Value> offsets;
        for (Value offset : one.load.getOffsets())
          offsets.push_back(mapping.lookupOrDefault(offset));
        tileas::AsyncLoadOp::create(builder, one.load.getLoc(), one.load.getView(), offsets, tokens[index], pipeline,
                                    stage, index, condition, one.load.getDimMapAttr(), one.load.getInboundsAttr(),
                                    tileas::LayoutAttr::get(&getContext(), copyLayout(one.load)));
      }
      tileas::AsyncCommitOp::create(builder, loc);
    };

    auto loadTile = [&](unsigned index, ValueRange offsets) -> Value {
      tileaa::LoadViewOp old = staged[index].load;
      Type type = tileas::typeWith(staged[index].buffer.getElementType(), copyLayout(old));
      return tileaa::LoadViewOp::create(builder, old.getLoc(), type, old.getResultToken().getType(), old.getView(),
                                        offsets, tokens[index], old.getDimMapAttr(), old.getPaddingAttr(),
                                        old.getInboundsAttr(), old.getFormatAttr())
          .getTile();
    };
    auto writeTile = [&](unsigned index, Value tile, Value stage) {
      Value buffer = tileas::StageOp::create(builder, loc, staged[index].buffer, pipeline, stage, index);
      tileas::WriteOp::create(builder, loc, tile, buffer);
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
      Value stage = number(builder.getI32Type(), iteration);
      start(mapping, stage, moreThan(trips, iteration));
      for (auto [index, one] : llvm::enumerate(staged)) {
        if (!one.throughRegisters)
          continue;
        auto branch = scf::IfOp::create(builder, loc, some, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.thenBlock());
        SmallVector<Value> offsets;
        for (Value offset : one.load.getOffsets())
          offsets.push_back(mapping.lookupOrDefault(offset));
        writeTile(index, loadTile(index, offsets), stage);
      }
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
      Value more = moreThan(carried[2], distance);
      start(mapping, carried[1], more);
      IRMapping current = found.compute(found.current(), builder);
      for (auto [index, one] : llvm::enumerate(staged)) {
        if (!one.throughRegisters)
          continue;
        // After the last iteration there is nothing to load: its own tile again.
        SmallVector<Value> offsets;
        for (Value offset : one.load.getOffsets())
          offsets.push_back(arith::SelectOp::create(builder, loc, more, mapping.lookupOrDefault(offset),
                                                    current.lookupOrDefault(offset)));
        Value tile = loadTile(index, offsets);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(loop.getBody()->getTerminator());
        writeTile(index, tile, carried[1]);
      }
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
    if (running) {
      running.setPending(1);
      waitAfter(now, cast<BlockArgument>(running.getAcc()).getArgNumber() - 1, some, inits.size(), builder);
    }
  }

  // The running product ends before anything uses its sums. Where there is none, what the loop began with meets them
  // behind the wait: with a copy of it into registers of a running product ptxas would let no product run.
  static void waitAfter(scf::ForOp loop, unsigned sum, Value some, size_t added, IRRewriter &builder) {
    Location loc = loop.getLoc();
    builder.setInsertionPoint(loop);
    ValueRange results = loop.getResults().drop_back(added);
    auto branch = scf::IfOp::create(builder, loc, results.getTypes(), some, /*withElseRegion=*/true);
    for (auto [result, old] : llvm::zip_equal(branch.getResults(), results))
      builder.replaceAllUsesWith(old, result);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInitArgs().drop_back(added));
    builder.moveOpBefore(loop, branch.thenBlock(), branch.thenBlock()->end());
    builder.setInsertionPointToEnd(branch.thenBlock());
    SmallVector<Value> yielded(results);
    yielded[sum] = tileas::MmaWaitOp::create(builder, loc, yielded[sum].getType(), yielded[sum]);
    scf::YieldOp::create(builder, loc, yielded);
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
