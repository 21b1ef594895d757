// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/clusters/SplitSums.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

scf::ForOp tileas::loopOfProducts(func::FuncOp function) {
  scf::ForOp loop;
  function.walk([&](MmaOp mma) {
    if (isByWarpgroups(mma) && isa<scf::ForOp>(mma->getParentOp()))
      loop = cast<scf::ForOp>(mma->getParentOp());
  });
  return loop;
}

//===-- what can be split -------------------------------------------------===//

namespace {

// The value that an operation of the loop adds something to, if it does only that.
Value addedTo(Operation *op, Value carried) {
  if (auto mma = dyn_cast_or_null<MmaOp>(op))
    return mma.getAcc();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(op))
    return {};
  // Sums of products that begin with zero in each iteration, and are added to those before.
  for (Value operand : op->getOperands())
    if (operand == carried)
      return operand;
  return op->getOperand(0);
}

// Whether an iteration gives the sums of the one before and some more, which nothing else reads.
bool isSum(scf::ForOp loop, unsigned number) {
  Value carried = loop.getRegionIterArg(number), value = loop.getYieldedValues()[number];
  while (value != carried) {
    if (!value.hasOneUse())
      return false;
    value = addedTo(value.getDefiningOp(), carried);
    if (!value)
      return false;
  }
  return carried.hasOneUse();
}

bool isAddable(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && (tile.getElementType().isF32() || tile.getElementType().isInteger(32));
}

// Whether memory that is read behind the loop, or the work there, depends on the sums: a CTA that has a part of them
// only would read elsewhere.
bool decideWork(scf::ForOp loop) {
  SetVector<Operation *> users;
  for (Value result : loop.getResults())
    getForwardSlice(result, &users);
  auto depends = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return users.contains(op ? op : value.getParentBlock()->getParentOp()) && !isa<tileaa::TokenType>(value.getType());
  };
  auto isBelowBranch = [&](Operation *op) {
    for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
      if (depends(branch.getCondition()))
        return true;
    return false;
  };
  auto stop = [&](Operation *op) {
    bool isDecided = false;
    if (auto inner = dyn_cast<scf::ForOp>(op))
      isDecided = depends(inner.getLowerBound()) || depends(inner.getUpperBound()) || depends(inner.getStep());
    else if (isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op))
      isDecided = llvm::any_of(op->getOperands(), depends) || isBelowBranch(op);
    return isDecided ? WalkResult::interrupt() : WalkResult::advance();
  };
  return loop->getParentOfType<func::FuncOp>().walk(stop).wasInterrupted();
}

bool storesWithin(scf::ForOp loop) {
  auto stop = [](Operation *op) {
    return isa<tileaa::StoreViewOp, tileaa::StorePtrOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return loop.walk(stop).wasInterrupted();
}

} // namespace

std::string tileas::obstacleToSplit(scf::ForOp loop) {
  if (!isa<func::FuncOp>(loop->getParentOp()))
    return "another loop is around that of the products";
  if (storesWithin(loop))
    return "its loop stores";
  for (unsigned number = 0; number != loop.getNumRegionIterArgs(); ++number) {
    if (!isAddable(loop.getRegionIterArg(number).getType()))
      return "its loop carries other values than sums in f32 or i32";
    if (!isSum(loop, number))
      return "its loop does more with its sums than to add products";
  }
  return decideWork(loop) ? "what it reads behind the loop depends on the sums" : "";
}

//===-- splitting ---------------------------------------------------------===//

namespace {

// The iterations of a rank: as many as others have, or fewer at the end.
void divideIterations(scf::ForOp loop, Value rank, int64_t split) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  Type type = lower.getType();
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  auto add = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); };
  auto multiply = [&](Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); };
  auto divideUp = [&](Value x, Value y) {
    Value more = add(x, b.createOrFold<arith::SubIOp>(loc, y, number(1)));
    return b.createOrFold<arith::DivUIOp>(loc, more, y);
  };
  // None where the loop ends before it begins.
  Value end = loop.getUnsignedCmp() ? b.createOrFold<arith::MaxUIOp>(loc, lower, upper)
                                    : b.createOrFold<arith::MaxSIOp>(loc, lower, upper);
  Value all = divideUp(b.createOrFold<arith::SubIOp>(loc, end, lower), step), share = divideUp(all, number(split));
  Value first = multiply(type.isIndex()           ? arith::IndexCastUIOp::create(b, loc, type, rank).getResult()
                         : type == rank.getType() ? rank
                                                  : arith::ExtUIOp::create(b, loc, type, rank).getResult(),
                         share);
  auto placeOf = [&](Value iteration) {
    return add(lower, multiply(b.createOrFold<arith::MinUIOp>(loc, iteration, all), step));
  };
  loop.setLowerBound(placeOf(first));
  loop.setUpperBound(placeOf(add(first, share)));
}

bool isZero(Value tile) {
  return matchPattern(tile, m_AnyZeroFloat()) || matchPattern(tile, m_Zero());
}

// Numbers with which the sums begin are added once.
void beginOnce(scf::ForOp loop, Value rank) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  for (OpOperand &initial : loop.getInitArgsMutable()) {
    if (isZero(initial.get()))
      continue;
    Value none = arith::ConstantIntOp::create(b, loc, rank.getType(), 0);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank, none);
    auto tile = cast<RankedTensorType>(initial.get().getType());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile));
    initial.set(arith::SelectOp::create(b, loc, isFirst, initial.get(), zero));
  }
}

// A thread's elements lie in groups of 16 bytes beside those of its neighbours, without conflicts of banks.
layout::LinearLayout exchangeLayout(const layout::LinearLayout &tile, int64_t elementBytes) {
  using layout::Dim;
  constexpr int64_t vectorBytes = 16;
  ArrayRef<layout::F2Vector> registers = tile.basisOf(Dim::Register);
  unsigned together = std::min<size_t>(llvm::Log2_64(vectorBytes / elementBytes), registers.size());
  SmallVector<layout::F2Vector> bases, all(registers.take_front(together));
  llvm::append_range(all, tile.basisOf(Dim::Lane));
  llvm::append_range(all, tile.basisOf(Dim::Warp));
  llvm::append_range(all, registers.drop_front(together));
  // Without copies.
  for (layout::F2Vector basis : all) {
    bases.push_back(basis);
    if (layout::F2Matrix(tile.outputBits(), bases).rank() != bases.size())
      bases.pop_back();
  }
  return layout::LinearLayout({{Dim::Offset, unsigned(bases.size())}}, tile.outputs(), bases);
}

} // namespace

void tileas::splitSums(scf::ForOp loop, SplitPlace place) {
  divideIterations(loop, place.rank, place.split);
  beginOnce(loop, place.rank);
  OpBuilder before(place.before), behind(loop->getContext());
  behind.setInsertionPointAfter(loop);
  for (Value part : loop.getResults()) {
    auto tile = cast<RankedTensorType>(part.getType());
    auto layout = exchangeLayout(layoutOf(tile), tile.getElementTypeBitWidth() / 8);
    auto buffer = BufferType::get(loop->getContext(), tile.getShape(), tile.getElementType(),
                                  LayoutAttr::get(loop->getContext(), layout));
    Value exchange =
        CreateExchangeOp::create(before, loop.getLoc(), ExchangeType::get(loop->getContext(), buffer), IntegerAttr());
    ClusterSumOp first;
    Value sum = part;
    for (int64_t distance = 1; distance != place.split; distance *= 2) {
      auto next = ClusterSumOp::create(behind, loop.getLoc(), tile, sum, exchange, place.round, distance);
      first = first ? first : next;
      sum = next;
    }
    part.replaceAllUsesExcept(sum, first);
  }
}
