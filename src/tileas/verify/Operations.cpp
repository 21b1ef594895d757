// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that are legal at the verifier, and the layouts of all tiles.
#include "tileas/verify/Operations.h"
#include "tileas/verify/Verifier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::LinearLayout;

bool tileas::isOfTiles(Type type) {
  return isa<RankedTensorType, tileaa::ViewType, tileaa::TokenType, BufferType, PipelineType, PipelineStateType,
             TmemType, TmaDescType, ExchangeType>(type);
}

namespace {

bool isOfTarget(Operation *op) {
  return isa<tileaa::TileaaDialect, TileasDialect>(op->getDialect()) ||
         llvm::any_of(op->getOperandTypes(), isOfTiles) || llvm::any_of(op->getResultTypes(), isOfTiles);
}

bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, AgentsOp>(op);
}
bool isOnTiles(Operation *op) {
  using namespace tileaa;
  return isa<arith::ConstantOp, ub::PoisonOp, IotaOp, BroadcastOp, ReshapeOp, PermuteOp, ReduceOp, ScanOp, CatOp,
             ExtractOp, InsertOp, SplitWarpsOp, ConvertLayoutOp, tileas::MmaOp, ScaledMmaOp, MmaWaitOp>(op);
}
bool isOnGlobalMemory(Operation *op) {
  using namespace tileaa;
  return isa<LoadViewOp, StoreViewOp, LoadPtrOp, StorePtrOp, AtomicRmwOp, AtomicCasOp, GetGlobalOp, FenceOp, MakeViewOp,
             ViewBaseOp, ViewDimOp, ViewStrideOp, MakeTokenOp, JoinTokensOp>(op);
}
bool isOnBlock(Operation *op) {
  using namespace tileaa;
  return isa<BlockIdOp, NumBlocksOp, MultiprocessorsOp, ClusterOp, AssumeDivByOp, PrintOp, AssertOp, BeginRecordsOp,
             RecordOp, EndRecordsOp>(op);
}
bool isOnSharedMemory(Operation *op) {
  return isa<tileaa::AllocaOp, AllocOp, WriteOp, ReadOp, BarrierOp, CreatePipelineOp, ProducerStartOp, ConsumerStartOp,
             ProducerAcquireOp, ProducerCommitOp, ProducerWriteOp, ConsumerWaitOp, ConsumerReadOp, ConsumerReleaseOp,
             AsyncLoadOp, AsyncLoadPtrOp, AsyncCommitOp, AsyncWaitOp, StageOp, WriteTmaDescsOp, ReleaseTmaDescsOp,
             TmaLoadOp, TmaStoreOp, TmaStoreWaitOp, CreateExchangeOp, ClusterSumOp>(op);
}
bool isOnTensorMemory(Operation *op) {
  return isa<TmemAllocOp, TmemDeallocOp, TmemLoadOp, TmemStoreOp, TmemMmaOp, TmemWaitOp>(op);
}

} // namespace

bool tileas::hasLowering(Operation *op) {
  return !isOfTarget(op) || op->hasTrait<OpTrait::Elementwise>() || isControlFlow(op) || isOnTiles(op) ||
         isOnGlobalMemory(op) || isOnBlock(op) || isOnSharedMemory(op) || isOnTensorMemory(op);
}

namespace {

class LayoutRules {
public:
  explicit LayoutRules(Verifier &verifier) : verifier(verifier) {}

  void check(Operation *op) {
    auto known = [&](Value value) { return checkTile(op, value); };
    bool all = llvm::all_of(op->getResults(), known);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        all &= llvm::all_of(block.getArguments(), known);
    if (all && hasEqualLayouts(op))
      verifier.check(op, "equal-layouts", faultOfLayouts(op));
  }

private:
  // Operations that treat each register alike.
  static bool hasEqualLayouts(Operation *op) {
    return op->hasTrait<OpTrait::Elementwise>() ||
           isa<tileaa::LoadPtrOp, tileaa::StorePtrOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp, AsyncLoadPtrOp>(op);
  }
  static Fault faultOfLayouts(Operation *op) {
    Attribute first;
    for (Type type :
         llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes()))) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile)
        continue;
      if (!hasLayout(tile))
        return "has an operand without a layout";
      if (!first)
        first = tile.getEncoding();
      if (tile.getEncoding() != first)
        return "has tiles of different layouts, expected one: each register is computed from those of the same number";
    }
    return "";
  }

  bool checkTile(Operation *op, Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile)
      return true;
    const Fault &fault = faultOfTile(tile, warpsAt(op));
    verifier.check(op, "tile-layout", fault);
    return fault.empty();
  }
  // Producers have warps of their own.
  int64_t warpsAt(Operation *op) {
    auto agents = op->getParentOfType<AgentsOp>();
    bool isProducers = agents && agents.getProducer().isAncestor(op->getParentRegion());
    return isProducers ? agents.getWarps()[1] : verifier.warps;
  }
  const Fault &faultOfTile(RankedTensorType tile, int64_t warps) {
    auto [found, isNew] = faults.try_emplace({tile.getEncoding(), warps});
    if (isNew)
      found->second = hasLayout(tile) ? faultOfLayout(layoutOf(tile), warps)
                                      : "makes a tile without a layout, expected one from tileaa-to-tileas";
    return found->second;
  }
  static Fault faultOfLayout(const LinearLayout &layout, int64_t warps) {
    if (layout.inputBits(Dim::Lane) > 5 || int64_t(layout.inputSize(Dim::Warp)) > warps)
      return "makes a tile for " + std::to_string(layout.inputSize(Dim::Lane)) + " lanes of " +
             std::to_string(layout.inputSize(Dim::Warp)) + " warps, expected no more than 32 of " +
             std::to_string(warps);
    if (!layout.isSurjective())
      return "makes a tile with elements that no thread holds";
    return "";
  }

  Verifier &verifier;
  llvm::DenseMap<std::pair<Attribute, int64_t>, Fault> faults;
};

} // namespace

void tileas::checkOperations(Verifier &verifier) {
  LayoutRules layouts(verifier);
  verifier.function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == verifier.function)
      return WalkResult::advance();
    if (!hasLowering(op))
      verifier.report(op, "legal-operation") << "has no lowering to the registers of a thread";
    layouts.check(op);
    // Their regions combine scalars.
    return isa<tileaa::ReduceOp, tileaa::ScanOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}
