// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop's loads are started D iterations ahead of where their tiles are used:
//
//   copies of iterations 0 to D-1                   each a group, none where the loop has fewer iterations
//   for iteration i:
//     wait for group i, and for all threads         now all threads see stage i, and none reads stage i-1 any more
//     copies of iteration i+D into stage (i+D) % N  which is stage (i-1) % N, as D = N-1
//     group, even if it is empty                    so that D-1 groups are always younger than the next one
//     what the iteration does, from stage i % N
//
// Nothing is copied for iterations that there are not, so no copy is on its way when the loop is over.
//
// A product of warpgroups whose sums go to the next iteration's only is left running: each waits for the one before it.
// Then, when all threads have come to wait i, stage i-2 is the last that no thread reads, and D = N-2.
//
// A load that is too narrow for asynchronous copies is loaded into registers at the begin of an iteration, before the
// wait, and written to the next stage at its end: the products between them hide its latency. D is 1 then. Behind the
// wait ptxas moves loads to where they are used, and a warp waits for memory several times in an iteration.
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileas/async/LoadUses.h"
#include "tileas/async/LoopLoads.h"
#include "tileas/async/Passes.h"
#include "tileas/async/prefetch/LoopPrefetch.h"
#include "tileas/async/prefetch/OwnPipeline.h"
#include "tileas/memory/ValueFlow.h"
#include "tileas/plan/StageChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASUNSPECIALIZEDPIPELINE
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class Rewriting : tileas::LoopPrefetch {
public:
  Rewriting(scf::ForOp loop, const tileas::LoopLoads &found, tileas::StageChoice choice)
      : LoopPrefetch(loop, found), choice(std::move(choice)) {}

  void run() {
    // Threads that are still in the last iteration of the previous execution read a stage that is now filled.
    if (loop->getParentOfType<LoopLikeOpInterface>())
      tileas::BarrierOp::create(builder, loc);
    SmallVector<tileas::BufferType> buffers;
    for (tileas::StagedLoad &one : choice.loads) {
      buffers.push_back(one.buffer);
      tokens.push_back(tokenBefore(one.load));
    }
    auto type = tileas::PipelineType::get(builder.getContext(), choice.stages, buffers);
    pipeline = tileas::CreatePipelineOp::create(builder, loc, type, 0, IntegerAttr(), /*byOne=*/false);
    countTrips();

    tileas::LoopLoads::State state = found.first();
    for (int64_t iteration = 0; iteration != choice.distance; ++iteration) {
      IRMapping mapping = found.compute(state, builder);
      fillFirst(mapping, iteration);
      state = found.next(state, mapping, builder);
    }
    // The stage to read, the stage to fill, how many iterations are left, and what the loop carries of those ahead.
    SmallVector<Value> inits{number(i32(), 0), number(i32(), choice.distance), trips};
    llvm::append_range(inits, state.carried);
    Value skipped = builder.createOrFold<arith::MulIOp>(loc, loop.getStep(), number(counter, choice.distance));
    Value filled = number(i32(), choice.stages);
    makeStageNumbers();
    auto body = [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      builder.setInsertionPointToStart(loop.getBody());
      IRMapping current = found.compute(found.current(), builder);
      tileas::LoopLoads::State later;
      later.induction = arith::AddIOp::create(builder, loc, loop.getInductionVar(), skipped);
      later.carried.append(carried.begin() + 3, carried.end());
      IRMapping mapping = found.compute(later, builder);
      Value more = moreThan(carried[2], choice.distance);
      fillThroughRegisters(mapping, current, carried[1], more);
      tileas::AsyncWaitOp::create(builder, loc, pipeline, choice.distance - 1,
                                  choice.running ? builder.getI64IntegerAttr(1) : IntegerAttr());
      copyLater(mapping, carried[1], more);
      SmallVector<Value> next;
      for (Value stage : carried.take_front(2))
        next.push_back(nextStage(stage, filled));
      next.push_back(arith::SubIOp::create(builder, loc, carried[2], number(counter, 1)));
      llvm::append_range(next, found.carriedNext(mapping));
      return next;
    };
    scf::ForOp now = replaceLoop(inits, body);
    Value reading = now.getRegionIterArgs().drop_back(inits.size() - 1).back();
    for (unsigned index = 0; index != choice.loads.size(); ++index)
      readFromStage(index, reading);
    if (choice.running) {
      choice.running.setRunning(true);
      waitAfter(now, cast<BlockArgument>(choice.running.getAcc()).getArgNumber() - 1, inits.size());
    }
  }

private:
  static SmallVector<Value> offsetsOf(tileaa::LoadViewOp load, const IRMapping &mapping) {
    SmallVector<Value> offsets;
    for (Value offset : load.getOffsets())
      offsets.push_back(mapping.lookupOrDefault(offset));
    return offsets;
  }

  void startCopies(const IRMapping &mapping, Value stage, Value condition) {
    for (auto [index, one] : llvm::enumerate(choice.loads))
      if (!one.throughRegisters)
        startCopy(index, one.load, tileas::LayoutAttr::get(builder.getContext(), one.copier), mapping, stage,
                  condition);
    tileas::AsyncCommitOp::create(builder, loc);
  }
  // Of what goes through registers: boxes of views.
  Value loadTile(unsigned index, ValueRange offsets) {
    tileas::StagedLoad &one = choice.loads[index];
    tileaa::LoadViewOp load = one.load.ofView();
    auto copy = tileaa::LoadViewOp::create(
        builder, load.getLoc(), tileas::typeWith(one.buffer.getElementType(), one.copier),
        load.getResultToken().getType(), load.getView(), offsets, tokens[index], load.getDimMapAttr(),
        load.getPaddingAttr(), load.getInboundsAttr(), load.getFormatAttr(), tileaa::HintsAttr(), load.getCacheAttr());
    copy->setDiscardableAttrs(load->getDiscardableAttrDictionary()); // its number, by which more is decided
    return copy.getTile();
  }
  void writeTile(unsigned index, Value tile, Value stage) {
    Value buffer = tileas::StageOp::create(builder, loc, choice.loads[index].buffer, pipeline, stage, index);
    tileas::WriteOp::create(builder, loc, tile, buffer);
  }

  void fillFirst(const IRMapping &mapping, int64_t iteration) {
    Value stage = number(i32(), iteration);
    startCopies(mapping, stage, moreThan(trips, iteration));
    for (auto [index, one] : llvm::enumerate(choice.loads)) {
      if (!one.throughRegisters)
        continue;
      OpBuilder::InsertionGuard guard(builder);
      auto branch = scf::IfOp::create(builder, loc, some, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
      writeTile(index, loadTile(index, offsetsOf(one.load.ofView(), mapping)), stage);
    }
  }

  // The tensor core has its work before the copies' addresses are computed, if it need not be waited for.
  void copyLater(const IRMapping &mapping, Value stage, Value more) {
    OpBuilder::InsertionGuard guard(builder);
    if (choice.running)
      builder.setInsertionPointAfter(choice.running);
    startCopies(mapping, stage, more);
  }

  void fillThroughRegisters(const IRMapping &mapping, const IRMapping &current, Value stage, Value more) {
    for (auto [index, one] : llvm::enumerate(choice.loads)) {
      if (!one.throughRegisters)
        continue;
      // After the last iteration there is nothing to load: its own tile again.
      SmallVector<Value> offsets = offsetsOf(one.load.ofView(), mapping);
      for (auto [offset, now] : llvm::zip_equal(offsets, offsetsOf(one.load.ofView(), current)))
        offset = builder.createOrFold<arith::SelectOp>(loc, more, offset, now);
      Value tile = loadTile(index, offsets);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      writeTile(index, tile, stage);
    }
  }

  // The running product ends before anything uses its sums. Where there is none, what the loop began with meets them
  // behind the wait: with a copy of it into registers of a running product ptxas would let no product run.
  void waitAfter(scf::ForOp loop, unsigned sum, size_t added) {
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

  void readFromStage(unsigned index, Value stage) {
    tileas::StagedLoad &staged = choice.loads[index];
    tileas::TileLoad load = staged.load;
    Location loc = load->getLoc();
    builder.setInsertionPoint(load);
    Value buffer = tileas::StageOp::create(builder, loc, staged.buffer, pipeline, stage, index);
    if (staged.write) {
      auto alloc = staged.write.getBuffer().getDefiningOp<tileas::AllocOp>();
      staged.write.erase();
      builder.replaceOp(alloc, buffer);
    }
    for (OpOperand &use : llvm::make_early_inc_range(load.tile().getUses())) {
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
    if (!load.tile().use_empty()) {
      builder.setInsertionPoint(load);
      load.tile().replaceAllUsesWith(
          tileas::ReadOp::create(builder, loc, load.tile().getType(), buffer, ValueRange()).getResult());
    }
    // All threads have waited for it.
    eraseFromTokens(load, load.token());
  }

  tileas::StageChoice choice;
};

class UnspecializedPipeline : public tilewright::impl::TileasUnspecializedPipelineBase<UnspecializedPipeline> {
public:
  using TileasUnspecializedPipelineBase::TileasUnspecializedPipelineBase;

  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture || !tileas::expectCta(getOperation()))
      return signalPassFailure();
    // Where there are agents, one of them copies ahead, and has the memory for it.
    bool hasAgents = getOperation().walk([](tileas::AgentsOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!architecture->has(nvidia::Feature::CpAsync) || hasAgents)
      return answerRest("an agent prefetches the loads that it supports, and uses the memory");
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      tileas::bringLoadsToUses(loop);
      tileas::LoopLoads found(loop);
      if (auto choice = tileas::chooseStages(loop, found.ahead(), *architecture, numStages))
        Rewriting(loop, found, std::move(*choice)).run();
      else if (!hasProduct(loop))
        prefetchRows(loop, *architecture);
    }
    answerRest("loops prefetch operands of products, and rows where a block walks over the grid's");
  }

private:
  static bool hasProduct(scf::ForOp loop) {
    auto isProduct = [](Operation *op) {
      bool multiplies = isa<tileas::MmaOp, tileas::TmemMmaOp, tileas::ScaledMmaOp>(op);
      return multiplies ? WalkResult::interrupt() : WalkResult::advance();
    };
    return loop.walk(isProduct).wasInterrupted();
  }
  static void prefetchRows(scf::ForOp loop, const nvidia::Architecture &architecture) {
    if (!tileas::mayPrefetchRows(loop))
      return;
    tileas::LoopLoads found(loop, tileas::LoopLoads::OfRows);
    if (auto choice = tileas::chooseOwnStages(loop, found.ahead(), architecture))
      tileas::prefetchByOwnThreads(loop, found, *choice);
  }

  // The hints of loads that are made where they stand.
  void answerRest(const char *why) {
    getOperation().walk([&](Operation *op) {
      if (tileas::TileLoad::classof(op))
        tileaa::declineHint(op, tileaa::hint::latency,
                            op->getParentOfType<scf::ForOp>() ? why : "it is in no loop with a counter");
    });
  }
};

} // namespace
