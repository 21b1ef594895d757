// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA of a cluster passes registers to the threads of another one through a buffer in its shared memory. Two barriers
// (mbarriers, of 8 bytes) lie behind the buffer: "full" in the CTA that reads, at which the warps of the other one
// arrive when they have written, and "empty" in the CTA that writes, at which those of the first arrive when they have
// read. As at a pipeline's stage the writer waits for the parity before its own, so that its first round passes.
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t barrierBytes = 8;

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
      for (int64_t barrier : {barriers, barriers + barrierBytes})
        NVVM::MBarrierInitOp::create(b, thread.loc, thread.sharedPointer(barrier),
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
    Exchange exchange(sum, adaptor.getExchange()[0], thread);
    ValueRange own = adaptor.getTile();
    Value parity = arith::AndIOp::create(b, loc, adaptor.getRound()[0], thread.i32(1));
    Value rank = NVVM::ClusterId::create(b, loc, b.getI32Type());
    Value isReader = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank, thread.i32(0));
    auto branch = scf::IfOp::create(b, loc, TypeRange(own), isReader, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, exchange.add(own, parity));
      b.setInsertionPointToStart(branch.elseBlock());
      exchange.pass(own, parity);
      scf::YieldOp::create(b, loc, own);
    }
    return thread.replace(sum, branch.getResults());
  }

private:
  struct Exchange {
    Exchange(tileas::ClusterSumOp sum, Value base, ThreadBuilder &thread)
        : buffer(sum.getExchange().getType().getBuffer()), layout(tileas::layoutOf(sum.getTile())), base(base),
          thread(thread) {}

    // A thread's own registers and those that the other CTA has passed.
    SmallVector<Value> add(ValueRange own, Value parity) {
      waitFor(barrier(0), parity);
      SmallVector<Value> sums = SharedLoader(layout, buffer, base, thread).getAll();
      for (auto [mine, value] : llvm::zip_equal(own, sums))
        value = value.getType().isInteger()
                    ? arith::AddIOp::create(thread.builder, thread.loc, mine, value).getResult()
                    : arith::AddFOp::create(thread.builder, thread.loc, mine, value).getResult();
      arrive(barrier(1), 1);
      return sums;
    }

    void pass(ValueRange own, Value parity) {
      waitFor(barrier(1), arith::XOrIOp::create(thread.builder, thread.loc, parity, thread.i32(1)));
      storeShared(own, layout, buffer, base, thread, /*rank=*/thread.i32(0));
      arrive(barrier(0), 0);
    }

  private:
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
    void arrive(Value barrier, int64_t rank) {
      OpBuilder &b = thread.builder;
      Location loc = thread.loc;
      NVVM::SyncWarpOp::create(b, loc, thread.i32(-1));
      auto once = scf::IfOp::create(b, loc, thread.isFirstLane(), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(once.thenBlock());
      NVVM::MBarrierArriveOp::create(b, loc, Type(), inCta(barrier, thread.i32(rank), thread), Value(),
                                     NVVM::MemScopeKind::CLUSTER, /*relaxed=*/false);
    }

    tileas::BufferType buffer;
    const layout::LinearLayout &layout;
    Value base;
    ThreadBuilder &thread;
  };
};

} // namespace

void tilewright::populateClusterSumPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<CreateExchangePattern, ClusterSumPattern>(kernel);
}
