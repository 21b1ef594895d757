// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

// The region's warps find what it is they do by their number, which is the same for all lanes.
struct AgentsPattern : TilePattern<tileas::AgentsOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::AgentsOp agents, Adaptor, ThreadBuilder &thread) const override {
    ConversionPatternRewriter &b = thread.builder;
    ArrayRef<int32_t> warps = agents.getWarps(), registers = agents.getRegisters();
    // Barriers in memory are seen by all before anybody waits at one, or arrives there from another CTA.
    bool isClustered = tileas::clusterOf(kernel.function) > 1;
    if (isClustered)
      meetCluster(b.getUnitAttr(), thread);
    else
      NVVM::BarrierOp::create(b, thread.loc);
    Value number = NVVM::ShflOp::create(b, thread.loc, b.getI32Type(), thread.i32(-1),
                                        arith::ShRUIOp::create(b, thread.loc, thread.id(), thread.i32(5)),
                                        thread.i32(0), thread.i32(31), NVVM::ShflKind::idx, UnitAttr());
    Value isProducer = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::uge, number, thread.i32(warps[0]));
    auto branch = scf::IfOp::create(b, thread.loc, isProducer, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      setRegisters(registers[1], NVVM::SetMaxRegisterAction::decrease, thread);
      Block *to = agents.isProducedTogether() ? branch.thenBlock() : electProducer(number, warps[0], thread);
      b.inlineBlockBefore(&agents.getProducer().front(), to->getTerminator());
      b.setInsertionPointToStart(branch.elseBlock());
      setRegisters(registers[0], NVVM::SetMaxRegisterAction::increase, thread);
      b.inlineBlockBefore(&agents.getConsumer().front(), branch.elseBlock()->getTerminator());
    }
    // Other CTAs arrive at barriers in this one's memory as long as they read stages.
    if (isClustered)
      meetCluster(UnitAttr(), thread);
    return thread.replace(agents);
  }

private:
  // All threads of the cluster; `aligned` where those of a warp are known to come together.
  static void meetCluster(UnitAttr aligned, ThreadBuilder &thread) {
    NVVM::ClusterArriveOp::create(thread.builder, thread.loc, aligned);
    NVVM::ClusterWaitOp::create(thread.builder, thread.loc, aligned);
  }
  static void setRegisters(int32_t count, NVVM::SetMaxRegisterAction action, ThreadBuilder &thread) {
    if (count)
      NVVM::SetMaxRegisterOp::create(thread.builder, thread.loc, count, action);
  }
  // The block of one thread of the producer's first warp.
  static Block *electProducer(Value number, int32_t firstWarp, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Value isFirstWarp = arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::eq, number, thread.i32(firstWarp));
    Value elected = NVVM::ElectSyncOp::create(b, thread.loc, b.getI1Type(), Value());
    Value isElected = arith::AndIOp::create(b, thread.loc, isFirstWarp, elected);
    return scf::IfOp::create(b, thread.loc, isElected, /*withElseRegion=*/false).thenBlock();
  }
};

struct BarrierPattern : TilePattern<tileas::BarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::BarrierOp barrier, Adaptor, ThreadBuilder &thread) const override {
    thread.barrier();
    return thread.replace(barrier);
  }
};

} // namespace

void tilewright::populateAgentPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<AgentsPattern, BarrierPattern>(kernel);
}
