// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA of a cluster passes registers to the threads of another one through a buffer in its shared memory, and their
// sums pass on. Of four CTAs, in each round:
//
//   step 0   1 passes to 0, 3 to 2
//   step 1   2 passes to 0
//
// Barriers (mbarriers) lie behind the buffer. A "full" one for each step is in the CTA that reads; the warps of the
// other one arrive there when they have written. "Empty" is in the CTA that writes, which it does in one step of a
// round; those that have read the buffer arrive at that of the CTA which writes to it next: 0 behind step 0 at that of
// 2, and behind step 1 at that of 1, for the next round. So the writers of step 0 wait for the parity before their own,
// as at a pipeline's stage, and their first round passes; later steps wait for their own.
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

using tileas::ExchangeType;
constexpr int64_t barrierBytes = ExchangeType::barrierBytes;

struct CreateExchangePattern : TilePattern<tileas::CreateExchangeOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::CreateExchangeOp create, Adaptor, ThreadBuilder &thread) const override {
    if (!create.getOffset())
      return thread.fail(create, "it has no place in shared memory"); // tileas-allocate-shared
    OpBuilder &b = thread.builder;
    int64_t place = *create.getOffset(), barriers = place + create.getExchange().getType().getBuffer().getBytes();
    {
      OpBuilder::InsertionGuard guard(b);
      auto once = scf::IfOp::create(b, thread.loc, thread.isFirstThread(), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      for (int64_t number = 0; number <= ExchangeType::mostSteps; ++number)
        NVVM::MBarrierInitOp::create(b, thread.loc, thread.sharedPointer(barriers + number * barrierBytes),
                                     thread.i32(tileas::warpsOf(kernel.function)), Value());
      NVVM::FenceMbarrierInitOp::create(b, thread.loc);
    }
    return thread.replace(create, thread.i32(place));
  }
};

struct ClusterSumPattern : TilePattern<tileas::ClusterSumOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ClusterSumOp sum, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    ValueRange own = adaptor.getTile();
    Value parity = arith::AndIOp::create(b, loc, adaptor.getRound()[0], thread.i32(1));
    Value rank = NVVM::ClusterId::create(b, loc, b.getI32Type());
    Exchange exchange(sum, adaptor.getExchange()[0], rank, tileas::clusterOf(kernel.function), thread);
    auto branch = scf::IfOp::create(b, loc, TypeRange(own), exchange.isMultiple(2 * sum.getDistance()),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, exchange.add(own, parity));
    b.setInsertionPointToStart(branch.elseBlock());
    // Others have passed their tile before.
    auto passing = scf::IfOp::create(b, loc, exchange.isMultiple(sum.getDistance()), /*withElseRegion=*/false);
    scf::YieldOp::create(b, loc, own);
    b.setInsertionPointToStart(passing.thenBlock());
    exchange.pass(own, parity);
    return thread.replace(sum, branch.getResults());
  }

private:
  struct Exchange {
    Exchange(tileas::ClusterSumOp sum, Value base, Value rank, int64_t cluster, ThreadBuilder &thread)
        : buffer(sum.getExchange().getType().getBuffer()), layout(tileas::layoutOf(sum.getTile())), base(base),
          rank(rank), distance(sum.getDistance()), step(sum.getStep()), cluster(cluster), thread(thread) {}

    Value isMultiple(int64_t powerOfTwo) {
      Value rest = arith::AndIOp::create(thread.builder, thread.loc, rank, thread.i32(powerOfTwo - 1));
      return arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::eq, rest, thread.i32(0));
    }

    // A thread's own registers and those that the other CTA has passed.
    SmallVector<Value> add(ValueRange own, Value parity) {
      waitFor(full(), parity);
      SmallVector<Value> sums = SharedLoader(layout, buffer, base, thread).getAll();
      for (auto [mine, value] : llvm::zip_equal(own, sums))
        value = value.getType().isInteger()
                    ? arith::AddIOp::create(thread.builder, thread.loc, mine, value).getResult()
                    : arith::AddFOp::create(thread.builder, thread.loc, mine, value).getResult();
      arrive(empty(), nextWriter());
      return sums;
    }

    void pass(ValueRange own, Value parity) {
      waitFor(empty(), step ? parity : arith::XOrIOp::create(thread.builder, thread.loc, parity, thread.i32(1)));
      Value reader = arith::SubIOp::create(thread.builder, thread.loc, rank, thread.i32(distance));
      storeShared(own, layout, buffer, base, thread, reader);
      arrive(full(), reader);
    }

  private:
    Value full() { return barrier(step); }
    Value empty() { return barrier(ExchangeType::mostSteps); }

    // That of the next step where this CTA reads then, else that of the first step of the next round.
    Value nextWriter() {
      OpBuilder &b = thread.builder;
      Value behind = thread.i32(1);
      if (2 * distance != cluster)
        behind = arith::SelectOp::create(b, thread.loc, isMultiple(4 * distance), thread.i32(2 * distance), behind);
      return arith::AddIOp::create(b, thread.loc, rank, behind);
    }

    Value barrier(int64_t number) {
      Value place = thread.i32(buffer.getBytes() + number * barrierBytes);
      return thread.sharedPointer(arith::AddIOp::create(thread.builder, thread.loc, base, place));
    }

    // Unlike the barriers of pipelines this one orders accesses of threads of two CTAs.
    void waitFor(Value barrier, Value parity) {
      OpBuilder &b = thread.builder;
      Location loc = thread.loc;
      auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&loop.getBefore());
      Value isDone = NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), barrier, parity, thread.i32(longestSleep),
                                                     NVVM::MemScopeKind::CLUSTER, /*relaxed=*/false);
      Value isNot = arith::XOrIOp::create(b, loc, isDone, thread.i1(true));
      scf::ConditionOp::create(b, loc, isNot, ValueRange());
      b.createBlock(&loop.getAfter());
      scf::YieldOp::create(b, loc);
    }

    // A lane for its warp, whose accesses come before.
    void arrive(Value barrier, Value rank) {
      OpBuilder &b = thread.builder;
      Location loc = thread.loc;
      NVVM::SyncWarpOp::create(b, loc, thread.i32(-1));
      auto once = scf::IfOp::create(b, loc, thread.isFirstLane(), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(once.thenBlock());
      NVVM::MBarrierArriveOp::create(b, loc, Type(), inCta(barrier, rank, thread), Value(), NVVM::MemScopeKind::CLUSTER,
                                     /*relaxed=*/false);
    }

    tileas::BufferType buffer;
    const layout::LinearLayout &layout;
    Value base, rank;
    int64_t distance, step, cluster;
    ThreadBuilder &thread;
  };
};

} // namespace

void tilewright::populateClusterSumPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<CreateExchangePattern, ClusterSumPattern>(kernel);
}
