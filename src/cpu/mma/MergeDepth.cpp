// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUMERGEDEPTH
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// The product of a loop that only accumulates. Its operands are packed into scratch.
struct Candidate {
  MmaOp mma;
  scf::ForOp loop;
  int64_t depth, steps;
};

bool usedOnlyIn(scf::ForOp loop, Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) { return loop->isProperAncestor(user); });
}

std::optional<Candidate> match(MmaOp mma, const Plan &plan) {
  auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
  auto lhs = mma.getLhs().getDefiningOp<memref::AllocOp>(), rhs = mma.getRhs().getDefiningOp<memref::AllocOp>();
  if (!loop || !lhs || !rhs || lhs == rhs || mma.getZeroInit() || mma.getBounds().size() != 3)
    return std::nullopt;
  if (lhs.getType().getRank() != 2 || rhs.getType().getRank() != 3)
    return std::nullopt;
  // The operands are live within one iteration only.
  if (!usedOnlyIn(loop, lhs) || !usedOnlyIn(loop, rhs))
    return std::nullopt;
  // The accumulator has no uses in between.
  for (Operation *user : mma.getAcc().getUsers())
    if (user != mma && loop->isAncestor(user))
      return std::nullopt;
  for (Value bound : mma.getBounds().take_front(2))
    if (loop.getRegion().isAncestor(bound.getParentRegion()))
      return std::nullopt;
  int64_t depth = mma.getDepth(), steps = mma.getMergedSteps(plan);
  if (steps < 2)
    return std::nullopt;
  return Candidate{mma, loop, depth, steps};
}

// Whether all products of a buffer are merged along the same dimension of it, so that they can share a wide one.
bool sharedAlike(const Candidate &candidate, Value buffer, ArrayRef<Candidate> candidates) {
  MmaOp mma = candidate.mma;
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    auto other = dyn_cast<MmaOp>(user);
    auto isMerged = [&](const Candidate &each) { return each.mma == other && each.loop == candidate.loop; };
    return !other || (other.getTransposedLhs() == mma.getTransposedLhs() && llvm::any_of(candidates, isMerged));
  });
}

// Room for all steps, with the current one's part in place of the old buffer; made for the first of several products.
Value widen(OpBuilder &inLoop, Value buffer, int64_t dim, int64_t steps, Value slot) {
  if (auto part = buffer.getDefiningOp<memref::SubViewOp>())
    return part.getSource();
  auto alloc = cast<memref::AllocOp>(buffer.getDefiningOp());
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  int64_t extent = shape[dim];
  shape[dim] *= steps;
  OpBuilder builder = OpBuilder::atBlockBegin(&alloc->getParentOfType<func::FuncOp>().getBody().front());
  Location loc = alloc.getLoc();
  auto wide = memref::AllocOp::create(builder, loc, MemRefType::get(shape, type.getElementType()));
  wide->setAttr(stepsAttr, builder.getI64IntegerAttr(steps));
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)),
      strides(shape.size(), builder.getIndexAttr(1)), sizes;
  for (int64_t each : type.getShape())
    sizes.push_back(builder.getIndexAttr(each));
  Value size = arith::ConstantIndexOp::create(inLoop, loc, extent);
  offsets[dim] = arith::MulIOp::create(inLoop, loc, slot, size).getResult();
  Value part = memref::SubViewOp::create(inLoop, loc, wide, offsets, sizes, strides);
  alloc.getResult().replaceAllUsesWith(part);
  alloc.erase();
  return wide;
}

void merge(const Candidate &candidate) {
  scf::ForOp loop = candidate.loop;
  MmaOp mma = candidate.mma;
  Location loc = mma.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value passed = arith::SubIOp::create(builder, loc, loop.getInductionVar(), loop.getLowerBound());
  Value iteration = arith::DivUIOp::create(builder, loc, passed, loop.getStep());
  Value slot = arith::RemUIOp::create(builder, loc, iteration, constant(candidate.steps));
  Value slotIndex = slot;
  if (!type.isIndex())
    slotIndex = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), slot);

  Value lhs = widen(builder, mma.getLhs(), mma.getTransposedLhs() ? 0 : 1, candidate.steps, slotIndex);
  Value rhs = widen(builder, mma.getRhs(), 1, candidate.steps, slotIndex);

  builder.setInsertionPoint(mma);
  Value isFull = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, constant(candidate.steps - 1));
  // Not `induction variable + step`, which may overflow.
  Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(), loop.getInductionVar());
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, left, loop.getStep());
  Value now = arith::OrIOp::create(builder, loc, isFull, isLast);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), now, /*withElseRegion=*/false);
  OpBuilder then = choice.getThenBodyBuilder();
  Value before =
      arith::MulIOp::create(then, loc, slotIndex, arith::ConstantIndexOp::create(then, loc, candidate.depth));
  Value depth = arith::AddIOp::create(then, loc, before, mma.getBounds()[2]);
  MmaOp::create(then, loc, TypeRange(), lhs, rhs, mma.getAcc(),
                ValueRange{mma.getBounds()[0], mma.getBounds()[1], depth}, mma.getAhead(), mma.getZeroInit(),
                mma.getUnsignedLhs(), mma.getUnsignedRhs(), mma.getTransposedLhs(), mma.getRagged());
  mma.erase();
}

struct CpuMergeDepth : tilewright::impl::CpuMergeDepthBase<CpuMergeDepth> {
  void runOnOperation() override {
    Plan plan = Plan::of(getOperation());
    SmallVector<Candidate> candidates;
    getOperation().walk([&](MmaOp mma) {
      if (std::optional<Candidate> candidate = match(mma, plan))
        candidates.push_back(*candidate);
    });
    // Without one of the products of a buffer, the others are left alone, too.
    size_t before;
    do {
      before = candidates.size();
      llvm::erase_if(candidates, [all = candidates](const Candidate &each) {
        MmaOp mma = each.mma;
        return !sharedAlike(each, mma.getLhs(), all) || !sharedAlike(each, mma.getRhs(), all);
      });
    } while (candidates.size() < before);
    for (const Candidate &candidate : candidates)
      merge(candidate);
  }
};

} // namespace
