// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/TileSlopes.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tileaa/analysis/Divisor.h"
#include "tileas/ir/Tileas.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;
using namespace tilewright::tileas;

namespace {

constexpr int64_t most = int64_t(1) << 30;

// The power of two in a number.
int64_t powerIn(int64_t number) {
  return number == 0 ? most : std::min(most, number & -number);
}
int64_t product(int64_t a, int64_t b) {
  return std::min(most, a * b);
}

} // namespace

Slope Slope::within(int64_t longest) const {
  if (longest >= run)
    return *this;
  return {longest, step, std::min(divisor, powerIn(longest * step))};
}

int64_t Slope::ofAll() const {
  return run == 1 ? divisor : std::min(divisor, powerIn(step));
}

namespace {

using Slopes = SmallVector<Slope>;

int64_t divisorOfAll(const Slopes &slopes) {
  int64_t best = 1;
  for (const Slope &slope : slopes)
    best = std::max(best, slope.ofAll());
  return best;
}

// Until something is known of a value it may be anything.
struct Knowledge {
  std::optional<Slopes> slopes;

  bool operator==(const Knowledge &other) const { return slopes == other.slopes; }
  static Knowledge join(const Knowledge &a, const Knowledge &b) {
    if (!a.slopes || !b.slopes)
      return a.slopes ? a : b;
    Knowledge result;
    result.slopes.emplace();
    for (auto [x, y] : llvm::zip_equal(*a.slopes, *b.slopes)) {
      Slope one = x.within(x.step == y.step ? y.run : 1), other = y.within(one.run);
      result.slopes->push_back({one.run, one.run == 1 ? 0 : one.step, std::min(one.divisor, other.divisor)});
    }
    return result;
  }
  void print(raw_ostream &os) const {
    for (const Slope &slope : slopes.value_or(Slopes()))
      os << "[" << slope.run << " by " << slope.step << " from " << slope.divisor << "]";
  }
};

class Lattice : public dataflow::Lattice<Knowledge> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Lattice)
  using dataflow::Lattice<Knowledge>::Lattice;
};

ArrayRef<int64_t> shapeOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

Slopes even(ArrayRef<int64_t> shape, int64_t divisor) {
  Slopes slopes;
  for (int64_t extent : shape)
    slopes.push_back({extent, 0, divisor});
  return slopes;
}

// The number that all elements are.
std::optional<int64_t> constantOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 32)
      return constant.getSExtValue();
    if (!isa<BroadcastOp, ReshapeOp, arith::ExtSIOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

Slope sum(Slope a, Slope b, int64_t sign) {
  int64_t run = std::min(a.run, b.run);
  a = a.within(run), b = b.within(run);
  return {run, a.step + sign * b.step, std::min(a.divisor, b.divisor)};
}

Slope times(Slope a, Slope b, std::optional<int64_t> factorOfA, std::optional<int64_t> factorOfB) {
  if (factorOfA)
    return {a.run, a.step * *factorOfA, product(a.divisor, powerIn(*factorOfA))};
  if (factorOfB)
    return {b.run, b.step * *factorOfB, product(b.divisor, powerIn(*factorOfB))};
  int64_t run = a.isEven() && b.isEven() ? std::min(a.run, b.run) : 1;
  return {run, 0, product(a.within(run).divisor, b.within(run).divisor)};
}

// Runs so short that an aligned place for one holds it: none of it wraps around, and what is no less than its first
// element and aligned alike is more than its last.
Slope unbroken(Slope slope, int64_t divisor) {
  if (slope.isEven())
    return slope;
  if (slope.step < 0)
    return slope.within(1);
  int64_t place = std::min(slope.divisor, divisor) / llvm::PowerOf2Ceil(slope.step);
  return slope.within(std::max<int64_t>(1, place));
}

Slope compare(arith::CmpIPredicate predicate, Slope a, Slope b) {
  using P = arith::CmpIPredicate;
  if (llvm::is_contained({P::sgt, P::ugt, P::sle, P::ule}, predicate))
    std::swap(a, b); // b < a, b >= a
  else if (!llvm::is_contained({P::slt, P::ult, P::sge, P::uge}, predicate) && !a.isEven())
    a = a.within(1);
  if (!b.isEven())
    b = b.within(1);
  int64_t run = std::min(a.run, b.run);
  a = a.within(run), b = b.within(run);
  return {unbroken(a, b.divisor).run, 0, 1};
}

Slope choose(Slope condition, Slope a, Slope b) {
  int64_t run = std::min({condition.run, a.run, b.run});
  if (a.within(run).run != 1 && a.step != b.step)
    run = 1;
  a = a.within(run), b = b.within(run);
  return {run, run == 1 ? 0 : a.step, std::min(a.divisor, b.divisor)};
}

// Dimensions of extent 1 come and go; of anything else only what divides all elements is known.
Slopes reshaped(const Slopes &source, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto isLarge = [](int64_t extent) { return extent != 1; };
  bool same = llvm::equal(llvm::make_filter_range(from, isLarge), llvm::make_filter_range(to, isLarge));
  int64_t all = divisorOfAll(source);
  Slopes result;
  size_t next = 0;
  for (int64_t extent : to) {
    if (!same || extent == 1) {
      result.push_back({1, 0, all});
      continue;
    }
    while (from[next] == 1)
      ++next;
    result.push_back(source[next++]);
  }
  return result;
}

// The slopes of an operation's result, from those of its operands.
class ResultSlopes {
public:
  ResultSlopes(Value result, ArrayRef<Slopes> operands) : result(result), shape(shapeOf(result)), operands(operands) {}

  Slopes of(Operation *op) const {
    return llvm::TypeSwitch<Operation *, Slopes>(op)
        .Case<arith::ConstantOp, IotaOp, BroadcastOp, ReshapeOp, PermuteOp, AssumeDivByOp, arith::AddIOp, arith::SubIOp,
              arith::MulIOp, arith::ShLIOp, arith::CmpIOp, arith::SelectOp>([&](auto op) { return of(op); })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(
            [&](auto) { return each([&](size_t dim) { return unbroken(operands[0][dim], most); }); })
        .Case<arith::TruncIOp, ConvertLayoutOp>([&](auto) { return operands[0]; })
        .Default([&](Operation *op) {
          return op->hasTrait<OpTrait::Elementwise>() ? evenWhereAllAre() : Slopes(shape.size());
        });
  }

private:
  template <typename Combine> Slopes each(Combine combine) const {
    Slopes slopes;
    for (size_t dim = 0; dim != shape.size(); ++dim)
      slopes.push_back(combine(dim));
    return slopes;
  }

  Slopes of(arith::ConstantOp constant) const {
    if (auto number = constantOf(result))
      return even(shape, powerIn(*number));
    bool isSplat = matchPattern(result, m_Constant()) && cast<DenseElementsAttr>(constant.getValue()).isSplat();
    return isSplat ? even(shape, 1) : Slopes(shape.size());
  }
  Slopes of(IotaOp) const { return Slopes{{shape[0], 1, most}}; }
  Slopes of(BroadcastOp broadcast) const {
    if (!isa<RankedTensorType>(broadcast.getSource().getType()))
      return operands[0];
    int64_t all = divisorOfAll(operands[0]);
    ArrayRef<int64_t> from = shapeOf(broadcast.getSource());
    return each([&](size_t dim) { return from[dim] == shape[dim] ? operands[0][dim] : Slope{shape[dim], 0, all}; });
  }
  Slopes of(ReshapeOp reshape) const {
    if (!isa<RankedTensorType>(reshape.getSource().getType()))
      return operands[0];
    return reshaped(operands[0], shapeOf(reshape.getSource()), shape);
  }
  Slopes of(PermuteOp permute) const {
    return each([&](size_t dim) { return operands[0][permute.getPermutation()[dim]]; });
  }
  Slopes of(AssumeDivByOp assume) const {
    return each([&](size_t dim) {
      Slope slope = operands[0][dim];
      slope.divisor = std::max(slope.divisor, powerIn(assume.getDivisor()));
      return slope;
    });
  }
  Slopes of(arith::AddIOp) const {
    return each([&](size_t dim) { return sum(operands[0][dim], operands[1][dim], 1); });
  }
  Slopes of(arith::SubIOp) const {
    return each([&](size_t dim) { return sum(operands[0][dim], operands[1][dim], -1); });
  }
  Slopes of(arith::MulIOp mul) const {
    auto a = constantOf(mul.getRhs()), b = constantOf(mul.getLhs());
    return each([&](size_t dim) { return times(operands[0][dim], operands[1][dim], a, b); });
  }
  Slopes of(arith::ShLIOp shift) const {
    auto by = constantOf(shift.getRhs());
    if (!by || *by < 0 || *by > 30)
      return evenWhereAllAre();
    return each([&](size_t dim) { return times(operands[0][dim], {}, int64_t(1) << *by, {}); });
  }
  Slopes of(arith::CmpIOp compared) const {
    return each([&](size_t dim) { return compare(compared.getPredicate(), operands[0][dim], operands[1][dim]); });
  }
  Slopes of(arith::SelectOp) const {
    return each([&](size_t dim) { return choose(operands[0][dim], operands[1][dim], operands[2][dim]); });
  }

  Slopes evenWhereAllAre() const {
    Slopes slopes = even(shape, 1);
    for (auto [dim, slope] : llvm::enumerate(slopes))
      for (const Slopes &operand : operands)
        slope.run = std::min(slope.run, operand[dim].isEven() ? operand[dim].run : 1);
    return slopes;
  }

  Value result;
  ArrayRef<int64_t> shape;
  ArrayRef<Slopes> operands;
};

class Analysis : public dataflow::SparseForwardDataFlowAnalysis<Lattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  void setToEntryState(Lattice *lattice) override { set(lattice, Slopes(shapeOf(lattice->getAnchor()).size())); }

  LogicalResult visitOperation(Operation *op, ArrayRef<const Lattice *> operands,
                               ArrayRef<Lattice *> results) override {
    if (auto read = dyn_cast<ReadOp>(op))
      return visitRead(read, results[0]);
    SmallVector<Slopes> slopes;
    for (const Lattice *operand : operands) {
      Value value = operand->getAnchor();
      if (!isa<RankedTensorType>(value.getType()))
        slopes.push_back(even(op->getNumResults() == 1 ? shapeOf(op->getResult(0)) : ArrayRef<int64_t>(),
                              value.getType().isIntOrIndex() ? knownDivisor(value) : 1));
      else if (!operand->getValue().slopes)
        return success(); // comes again
      else
        slopes.push_back(*operand->getValue().slopes);
    }
    for (Lattice *result : results) {
      Value value = result->getAnchor();
      Slopes found = results.size() == 1 && isa<RankedTensorType>(value.getType()) ? ResultSlopes(value, slopes).of(op)
                                                                                   : Slopes(shapeOf(value).size());
      set(result, std::move(found));
    }
    return success();
  }

private:
  // A conversion of layouts through shared memory: the tile that is read has the slopes of the one that is written.
  LogicalResult visitRead(ReadOp read, Lattice *result) {
    Value tile = tileWrittenTo(read.getBuffer());
    if (!tile || !read.getOffsets().empty() || shapeOf(tile) != shapeOf(read.getTile())) {
      set(result, Slopes(shapeOf(read.getTile()).size()));
      return success();
    }
    const Lattice *source = getLatticeElementFor(getProgramPointAfter(read), tile);
    if (source->getValue().slopes)
      set(result, *source->getValue().slopes);
    return success();
  }

  // The tile of the one write to a buffer that only reads have besides; null for others.
  static Value tileWrittenTo(Value buffer) {
    Value tile;
    for (Operation *user : buffer.getUsers()) {
      auto write = dyn_cast<WriteOp>(user);
      if (!write && isa<ReadOp>(user))
        continue;
      if (!write || tile)
        return nullptr;
      tile = write.getTile();
    }
    return buffer.getDefiningOp<AllocOp>() ? tile : nullptr;
  }

  void set(Lattice *lattice, Slopes slopes) {
    // Canonical form: a run of one element has no step.
    for (Slope &slope : slopes)
      slope.step = slope.run == 1 ? 0 : slope.step;
    propagateIfChanged(lattice, lattice->join(Knowledge{std::move(slopes)}));
  }
};

} // namespace

TileSlopes::TileSlopes(Operation *function) {
  SmallVector<Value> tiles;
  function->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<LoadPtrOp, StorePtrOp, AsyncLoadPtrOp>([&](auto access) {
      for (Value value : {Value(access.getAddresses()), Value(access.getMask())})
        if (value && isa<RankedTensorType>(value.getType()))
          tiles.push_back(value);
    });
  });
  if (tiles.empty())
    return;
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<Analysis>();
  if (failed(solver.initializeAndRun(function)))
    return;
  for (Value tile : tiles)
    if (const auto *lattice = solver.lookupState<Lattice>(tile); lattice && lattice->getValue().slopes)
      known[tile] = *lattice->getValue().slopes;
}

SmallVector<Slope> TileSlopes::of(Value tile) const {
  auto found = known.find(tile);
  return found != known.end() ? found->second : Slopes(shapeOf(tile).size());
}
