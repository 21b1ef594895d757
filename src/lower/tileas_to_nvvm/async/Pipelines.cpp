// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits, arrivals and reads at the stages of pipelines.
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct CreatePattern : TilePatternWith<tileas::CreatePipelineOp, Rings> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::CreatePipelineOp create, Adaptor, ThreadBuilder &thread) const override {
    if (!create.getOffset())
      return thread.fail(create, "it has no place in shared memory"); // tileas-allocate-shared
    if (create.getConsumers())
      initialize(facts->of(create), thread);
    return thread.replace(create);
  }

private:
  static void initialize(const Ring &ring, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    RingBuilder at(ring, thread);
    int64_t arrivals = ring.copyingThreads + (ring.broughtBytes ? 1 : 0);
    OpBuilder::InsertionGuard guard(b);
    auto once = scf::IfOp::create(b, loc, thread.isFirstThread(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    for (int64_t stage = 0; stage != ring.type.getStages(); ++stage) {
      NVVM::MBarrierInitOp::create(b, loc, at.full(thread.i32(stage)), thread.i32(arrivals), Value());
      NVVM::MBarrierInitOp::create(b, loc, at.empty(thread.i32(stage)), thread.i32(ring.consumers * ring.cluster),
                                   Value());
    }
    NVVM::FenceMbarrierInitOp::create(b, loc);
  }
};

// The first stage, and the parity of the first wait.
template <typename Op, int64_t phase> struct StartPattern : TilePattern<Op> {
  using TilePattern<Op>::TilePattern;
  LogicalResult lower(Op start, typename TilePattern<Op>::Adaptor, ThreadBuilder &thread) const override {
    return thread.replace(start, {thread.i32(0), thread.i32(phase)});
  }
};

// An operation of an agent at its stage.
template <typename Op> struct StepPattern : TilePatternWith<Op, Rings> {
  using TilePatternWith<Op, Rings>::TilePatternWith;
  LogicalResult lower(Op op, typename TilePattern<Op>::Adaptor adaptor, ThreadBuilder &thread) const final {
    if (!op.getState())
      return thread.fail(op, hasNoState);
    return lower(op, PipelineState(adaptor.getState()), RingBuilder(this->facts->of(op), thread), thread);
  }
  virtual LogicalResult lower(Op op, PipelineState state, RingBuilder at, ThreadBuilder &thread) const = 0;
};

struct AcquirePattern : StepPattern<tileas::ProducerAcquireOp> {
  using StepPattern::StepPattern;
  LogicalResult lower(tileas::ProducerAcquireOp acquire, PipelineState state, RingBuilder at,
                      ThreadBuilder &thread) const override {
    auto wait = [&] { at.waitFor(at.empty(state.stage), state.phase); };
    // A stage that only the hardware fills goes round without the other threads. One of them that waited and was late
    // would miss a phase, and wait for one that comes after its own part in another pipeline.
    if (at.ring.copyingThreads)
      wait();
    at.byFirst([&] {
      if (!at.ring.copyingThreads)
        wait();
      if (at.ring.broughtBytes)
        NVVM::MBarrierArriveExpectTxOp::create(thread.builder, thread.loc, Type(), at.full(state.stage),
                                               thread.i32(at.ring.broughtBytes), NVVM::MemScopeKind::CTA, false,
                                               Value());
    });
    return thread.replace(acquire);
  }
};

// Each thread has its elements in registers, and arrives at the commit.
struct WritePattern : TilePatternWith<tileas::ProducerWriteOp, Rings> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::ProducerWriteOp write, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (!write.getState())
      return thread.fail(write, hasNoState);
    RingBuilder at(facts->of(write), thread);
    storeShared(adaptor.getTile(), tileas::layoutOf(write.getTile()), write.getBufferType(),
                at.bufferOf(PipelineState(adaptor.getState()).stage, write.getIndex()), thread);
    return thread.replace(write);
  }
};

struct CommitPattern : StepPattern<tileas::ProducerCommitOp> {
  using StepPattern::StepPattern;
  LogicalResult lower(tileas::ProducerCommitOp commit, PipelineState state, RingBuilder at,
                      ThreadBuilder &thread) const override {
    Value full = at.full(state.stage);
    if (at.ring.isWritten) {
      // No fence here, which would wait for the loads of the next tile: who waits for the stage has one.
      NVVM::MBarrierArriveOp::create(thread.builder, thread.loc, Type(), full, Value(), NVVM::MemScopeKind::CTA, false);
    } else if (at.ring.copyingThreads) {
      // Each thread arrives when its own copies have come.
      NVVM::CpAsyncMBarrierArriveOp::create(thread.builder, thread.loc, full, /*noinc=*/true);
    }
    return thread.replace(commit, at.next(state));
  }
};

struct WaitPattern : StepPattern<tileas::ConsumerWaitOp> {
  using StepPattern::StepPattern;
  LogicalResult lower(tileas::ConsumerWaitOp wait, PipelineState state, RingBuilder at,
                      ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    {
      OpBuilder::InsertionGuard guard(b);
      if (at.ring.byOne)
        b.setInsertionPointToStart(
            scf::IfOp::create(b, thread.loc, thread.isFirstThread(), /*withElseRegion=*/false).thenBlock());
      at.waitFor(at.full(state.stage), state.phase);
      // Copies of threads are read past their caches.
      if (at.ring.copyingThreads)
        showToHardware(thread);
      if (at.ring.byOne)
        NVVM::Tcgen05FenceOp::create(b, thread.loc, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    }
    return thread.replace(wait);
  }
};

struct ReadPattern : StepPattern<tileas::ConsumerReadOp> {
  using StepPattern::StepPattern;
  LogicalResult lower(tileas::ConsumerReadOp read, PipelineState state, RingBuilder at,
                      ThreadBuilder &thread) const override {
    return thread.replace(read, at.bufferOf(state.stage, read.getIndex()));
  }
};

// A barrier of 128 threads. Those below are all threads' and the agents'.
void meetWarpgroup(ThreadBuilder &thread) {
  constexpr int32_t firstBarrier = 8;
  OpBuilder &b = thread.builder;
  Value group = arith::ShRUIOp::create(b, thread.loc, thread.id(), thread.i32(7));
  Value number = arith::AddIOp::create(b, thread.loc, group, thread.i32(firstBarrier));
  NVVM::BarrierOp::create(b, thread.loc, TypeRange(), number, thread.i32(128), NVVM::BarrierReductionAttr(), Value());
}

struct ReleasePattern : StepPattern<tileas::ConsumerReleaseOp> {
  using StepPattern::StepPattern;
  LogicalResult lower(tileas::ConsumerReleaseOp release, PipelineState state, RingBuilder at,
                      ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    // One of each warpgroup for each CTA of the cluster, unless one is enough.
    Value isFirst = thread.isFirstThread(), inGroup;
    if (!at.ring.byOne) {
      inGroup = arith::AndIOp::create(b, loc, thread.id(), thread.i32(127));
      bool isAlone = at.ring.cluster == 1;
      isFirst = arith::CmpIOp::create(b, loc, isAlone ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ult, inGroup,
                                      thread.i32(isAlone ? 0 : at.ring.cluster));
    }
    Value barrier = at.empty(state.stage);
    // Products of a warpgroup end for all of it together; what its threads read themselves each has for itself.
    if (at.ring.isReadByThreads)
      meetWarpgroup(thread);
    {
      OpBuilder::InsertionGuard guard(b);
      auto once = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      if (at.ring.byOne)
        NVVM::Tcgen05CommitOp::create(b, loc, barrier, at.ring.cluster > 1 ? at.allOfCluster() : Value());
      else
        arrive(at, barrier, inGroup, thread);
    }
    return thread.replace(release, at.next(state));
  }

private:
  // In a cluster at the barriers of all CTAs, a thread at each. The products that read the stage are complete, so that
  // the scope stays the default one: with that of the cluster each arrival is a fence of the whole GPU, and a GEMM that
  // was written by hand takes 1.37 times as long on an H200.
  static void arrive(RingBuilder &at, Value barrier, Value rank, ThreadBuilder &thread) {
    bool isClustered = at.ring.cluster > 1;
    if (isClustered)
      barrier = inCta(barrier, rank, thread);
    auto scope = isClustered && at.ring.isReadByThreads ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
    NVVM::MBarrierArriveOp::create(thread.builder, thread.loc, Type(), barrier, Value(), scope, false);
  }
};

} // namespace

void tilewright::populatePipelinePatterns(RewritePatternSet &patterns, KernelContext &kernel,
                                          const std::shared_ptr<const Rings> &rings) {
  // The producer's first stage is empty: as after a phase of parity 1.
  patterns.add<StartPattern<tileas::ProducerStartOp, 1>, StartPattern<tileas::ConsumerStartOp, 0>>(kernel);
  patterns.add<CreatePattern, AcquirePattern, WritePattern, CommitPattern, WaitPattern, ReadPattern, ReleasePattern>(
      kernel, rings);
}
