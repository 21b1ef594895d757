// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/mma/MmaBounds.h"

#include "cpu/ir/Cpu.h"
#include "cpu/place/ViewAccess.h"
#include "cpu/plan/MaskExtent.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;

/// How much of a dimension of an operand is not zero padding; null if all of it may count.
static Value extentOf(OpBuilder &builder, Value tile, int64_t dim, MmaOp mma) {
  if (auto loop = tile.getDefiningOp<linalg::GenericOp>()) {
    if (Value extent = getMaskExtent(loop, dim, mma))
      return extent;
    // A widening or transposing copy keeps zeros.
    if (loop.getNumDpsInputs() != 1 || loop.getNumReductionLoops() != 0 || loop.getNumDpsInits() != 1)
      return {};
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return {};
    AffineMap input = loop.getIndexingMapsArray().front();
    // A panel of the right operand: its dimensions are those of the source in another arrangement.
    if (input.getNumResults() == 2 && input.getNumDims() == 3)
      return extentOf(builder, loop.getDpsInputs().front(), dim, mma);
    if (!input.isPermutation())
      return {};
    return extentOf(builder, loop.getDpsInputs().front(), *input.getResultPosition(builder.getAffineDimExpr(dim)), mma);
  }
  if (auto pack = tile.getDefiningOp<PackWordsOp>())
    return extentOf(builder, pack.getSource(), pack.getTransposedSource() ? 1 - dim : dim, mma);
  auto load = tile.getDefiningOp<LoadViewOp>();
  if (!load || load.getPadding() != tileaa::Padding::Zero)
    return {};
  FailureOr<ViewAccess> access = ViewAccess::of(load);
  if (failed(access))
    return {};
  return access->extentInside(builder, load.getLoc(), dim);
}

/// The operation an operand comes from, through packing, widening and transposing.
static Operation *sourceOf(Value tile) {
  if (auto pack = tile.getDefiningOp<PackWordsOp>())
    return sourceOf(pack.getSource());
  auto loop = tile.getDefiningOp<linalg::GenericOp>();
  if (loop && loop.getNumDpsInputs() == 1 && loop.getBody()->getOps<PtrLoadOp>().empty())
    return sourceOf(loop.getDpsInputs().front());
  return tile.getDefiningOp();
}

static bool isGather(Value tile) {
  auto loop = dyn_cast_or_null<linalg::GenericOp>(sourceOf(tile));
  return loop && !loop.getBody()->getOps<PtrLoadOp>().empty();
}

/// The operands of the next iteration, to be fetched while this one computes.
static void fetchAhead(MmaOp mma, const Plan &plan) {
  auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
  // The loads of the matrix unit leave no room for others.
  if (!loop || mma.hasTiles(plan))
    return;
  OpBuilder builder(mma);
  for (Value operand : {mma.getLhs(), mma.getRhs()}) {
    auto load = dyn_cast_or_null<LoadViewOp>(sourceOf(operand));
    if (!load || load->getBlock() != mma->getBlock() || !isa<RankedTensorType>(load.getTile().getType()))
      continue;
    FailureOr<ViewAccess> access = ViewAccess::of(load);
    if (failed(access))
      continue;
    int64_t steps = mma.getMergedSteps(plan);
    for (int64_t step = 1; step <= steps * plan.prefetchTiles; ++step)
      if (std::optional<ViewAccess> next = access->later(builder, loop, step))
        mma.getAheadMutable().append(next->whole(builder, mma.getLoc()));
  }
}

void cpu::boundMmas(func::FuncOp function) {
  Plan plan = Plan::of(function);
  function.walk([&](MmaOp mma) {
    fetchAhead(mma, plan);
    ArrayRef<int64_t> lhs = cast<RankedTensorType>(mma.getLhs().getType()).getShape();
    ArrayRef<int64_t> acc = cast<RankedTensorType>(mma.getAcc().getType()).getShape();
    if (lhs.size() != 2)
      return;
    OpBuilder builder(mma);
    Location loc = mma.getLoc();
    int64_t rowDim = mma.getTransposedLhs() ? 1 : 0;
    Value rows = extentOf(builder, mma.getLhs(), rowDim, mma);
    Value columns = extentOf(builder, mma.getRhs(), 1, mma);
    // A mask over the depth would be counted in every iteration, and nearly always is whole.
    bool isGathered = isGather(mma.getLhs()) || isGather(mma.getRhs());
    Value lhsDepth, rhsDepth;
    if (!isGathered) {
      lhsDepth = extentOf(builder, mma.getLhs(), 1 - rowDim, mma);
      rhsDepth = extentOf(builder, mma.getRhs(), 0, mma);
    }
    mma.setRagged(isGather(mma.getRhs()) && columns);
    Value depth = lhsDepth && rhsDepth ? arith::MaxSIOp::create(builder, loc, lhsDepth, rhsDepth).getResult() : Value();
    auto orAll = [&](Value bound, int64_t all) {
      return bound ? bound : arith::ConstantIndexOp::create(builder, loc, all).getResult();
    };
    mma.getBoundsMutable().assign({orAll(rows, acc[0]), orAll(columns, acc[1]), orAll(depth, mma.getDepth())});
  });
}
