// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/prefetch/OwnPipeline.h"

#include "tileaa/ir/Numbers.h"
#include "tileas/async/prefetch/LoopPrefetch.h"
#include "tileas/memory/ValueFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

class OwnPipeline : LoopPrefetch {
public:
  OwnPipeline(scf::ForOp loop, const LoopLoads &found, const OwnStageChoice &choice)
      : LoopPrefetch(loop, found), choice(choice) {}

  void run() {
    for (TileLoad load : choice.loads)
      tokens.push_back(tokenBefore(load));
    auto type = PipelineType::get(builder.getContext(), choice.distance, choice.buffers);
    pipeline = CreatePipelineOp::create(builder, loc, type, 0, IntegerAttr(), /*byOne=*/false);
    countTrips();
    LoopLoads::State state = found.first();
    for (int64_t iteration = 0; iteration != choice.distance; ++iteration) {
      IRMapping mapping = found.compute(state, builder);
      for (unsigned index = 0; index != choice.loads.size(); ++index)
        startCopies(index, mapping, number(i32(), iteration), moreThan(trips, iteration));
      AsyncCommitOp::create(builder, loc);
      state = found.next(state, mapping, builder);
    }
    // The stage, how many iterations are left, and what the loop carries of those ahead.
    SmallVector<Value> inits{number(i32(), 0), trips};
    llvm::append_range(inits, state.carried);
    Value skipped = builder.createOrFold<arith::MulIOp>(loc, loop.getStep(), number(counter, choice.distance));
    Value all = number(i32(), choice.distance);
    makeStageNumbers();
    auto body = [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      builder.setInsertionPointToStart(loop.getBody());
      AsyncWaitOp::create(builder, loc, pipeline, builder.getI64IntegerAttr(choice.distance - 1), IntegerAttr(),
                          builder.getUnitAttr());
      LoopLoads::State later;
      later.induction = arith::AddIOp::create(builder, loc, loop.getInductionVar(), skipped);
      later.carried.append(carried.begin() + 2, carried.end());
      IRMapping mapping = found.compute(later, builder);
      Value more = moreThan(carried[1], choice.distance);
      for (unsigned index = 0; index != choice.loads.size(); ++index)
        replace(index, mapping, carried[0], more);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      AsyncCommitOp::create(builder, loc);
      SmallVector<Value> next{nextStage(carried[0], all),
                              arith::SubIOp::create(builder, loc, carried[1], number(counter, 1))};
      llvm::append_range(next, found.carriedNext(mapping));
      return next;
    };
    replaceLoop(inits, body);
    for (TileLoad load : choice.loads)
      eraseFromTokens(load, load.token());
  }

private:
  void startCopies(unsigned index, const IRMapping &mapping, Value stage, Value condition) {
    TileLoad load = choice.loads[index];
    startCopy(index, load, LayoutAttr::get(builder.getContext(), layoutOf(load.tile())), mapping, stage, condition);
  }

  // Where the load stands: its tile from the stage, which is then filled for a later iteration.
  void replace(unsigned index, const IRMapping &mapping, Value stage, Value more) {
    TileLoad load = choice.loads[index];
    builder.setInsertionPoint(load);
    Value buffer = StageOp::create(builder, load->getLoc(), choice.buffers[index], pipeline, stage, index);
    Value tile = ReadOp::create(builder, load->getLoc(), load.tile().getType(), buffer, ValueRange()).getResult();
    startCopies(index, mapping, stage, more);
    if (tileaa::LoadPtrOp ofAddresses = load.ofAddresses()) {
      Value mask = ofAddresses.getMask(), padding = ofAddresses.getPadding();
      if (mask && padding && !tileaa::isZero(padding))
        tile = arith::SelectOp::create(builder, load->getLoc(), mask, tile, padding);
    }
    load.tile().replaceAllUsesWith(tile);
  }

  const OwnStageChoice &choice;
};

} // namespace

void tileas::prefetchByOwnThreads(scf::ForOp loop, const LoopLoads &found, const OwnStageChoice &choice) {
  OwnPipeline(loop, found, choice).run();
}
