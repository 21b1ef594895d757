// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of each thread for itself (fma), of operands in buffers.
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/mma/MmaPatterns.h"
#include "lower/tileas_to_nvvm/mma/MmaRegisters.h"
#include "tileaa/transforms/legalize/Formats.h"
#include "tileas/ir/MmaAtom.h"
#include "tileas/verify/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::MmaOperand;

namespace {

// A thread's own sums. Steps along K are unrolled, and a loop goes through groups of them.
class ThreadProduct {
public:
  ThreadProduct(tileas::MmaOp mma, Value lhsBase, Value rhsBase, ValueRange acc, ThreadBuilder &thread)
      : mma(mma), lhsBase(lhsBase), rhsBase(rhsBase), acc(acc), thread(thread), layout(tileas::layoutOf(mma.getAcc())),
        coordinates(layout), depth(depthOf(mma)) {
    result = getElementTypeOrSelf(mma.getAcc().getType());
    compute = result.isF16() || result.isBF16() ? Type(thread.builder.getF32Type()) : result;
    // Results that are copies of others are computed once.
    for (uint64_t reg = 0; reg != layout.inputSize(Dim::Register); ++reg)
      if (numberAt.try_emplace(layout.applyFlat({{Dim::Register, reg}}), places.size()).second) {
        places.push_back(coordinates.at(reg));
        own.push_back(reg);
      }
  }

  SmallVector<Value> run() {
    OpBuilder &b = thread.builder;
    SmallVector<Value> sums;
    for (uint64_t reg : own)
      sums.push_back(widen(acc[reg]));
    std::optional<int64_t> lhsStep = stepOf(mma.getLhs(), MmaOperand::A);
    std::optional<int64_t> rhsStep = stepOf(mma.getRhs(), MmaOperand::B);
    if (depth <= unrolled || !lhsStep || !rhsStep) {
      sums = add(sums, lhsBase, rhsBase, depth);
    } else {
      auto loop = scf::ForOp::create(b, thread.loc, thread.i32(0), thread.i32(depth / unrolled), thread.i32(1), sums);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      auto moved = [&](Value base, int64_t step) -> Value {
        Value by = arith::MulIOp::create(b, thread.loc, loop.getInductionVar(), thread.i32(step));
        return arith::AddIOp::create(b, thread.loc, base, by);
      };
      SmallVector<Value> inside(loop.getRegionIterArgs());
      inside = add(inside, moved(lhsBase, *lhsStep), moved(rhsBase, *rhsStep), unrolled);
      scf::YieldOp::create(b, thread.loc, inside);
      sums.assign(loop.getResults().begin(), loop.getResults().end());
    }
    SmallVector<Value> results;
    for (Value &sum : sums)
      if (compute != result)
        sum = arith::TruncFOp::create(b, thread.loc, result, sum);
    for (uint64_t reg = 0; reg != acc.size(); ++reg)
      results.push_back(sums[numberAt.at(layout.applyFlat({{Dim::Register, reg}}))]);
    return results;
  }

private:
  static constexpr int64_t unrolled = 8;

  LinearLayout needed(MmaOperand operand) {
    return tileas::operandLayout(mma.getAtom(), operand, layout, depth,
                                 tilewright::elementOf(mma.getLhs()).getIntOrFloatBitWidth());
  }

  // The bytes from one group of steps to the next, if that many are added to every address: the bits of k above a
  // group's go to bits of the offset that no others go to, in their order.
  std::optional<int64_t> stepOf(Value operand, MmaOperand which) {
    auto buffer = cast<tileas::BufferType>(operand.getType());
    LinearLayout map = needed(which).then(buffer.getLayout().getLayout().inverse());
    unsigned low = llvm::Log2_64(unrolled), high = llvm::Log2_64(depth);
    uint64_t above = 0, others = 0, first = 0;
    for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
      for (auto [bit, basis] : llvm::enumerate(map.basisOf(in))) {
        // Registers go along k first.
        if (in != Dim::Register || bit < low || bit >= high) {
          others |= basis;
          continue;
        }
        if (bit == low)
          first = basis;
        if (basis != first << (bit - low))
          return std::nullopt;
        above |= basis;
      }
    if (above & others || !llvm::isPowerOf2_64(std::max<uint64_t>(first, 1)))
      return std::nullopt;
    return first * bytesOf(buffer.getElementType());
  }

  Value widen(Value value) {
    return value.getType() == compute ? value
                                      : arith::ExtFOp::create(thread.builder, thread.loc, compute, value).getResult();
  }
  Value number(Value element, bool isUnsigned) {
    OpBuilder &b = thread.builder;
    if (isa<IntegerType>(compute)) {
      if (isUnsigned)
        return arith::ExtUIOp::create(b, thread.loc, compute, element);
      return arith::ExtSIOp::create(b, thread.loc, compute, element);
    }
    if (std::optional<Type> format = mma.getFormat())
      element = legalize::readFloat(legalize::Expr(b, thread.loc, element), *format);
    return widen(element);
  }

  SmallVector<Value> add(SmallVector<Value> sums, Value lhsBase, Value rhsBase, int64_t steps) {
    OpBuilder &b = thread.builder;
    LinearLayout lhsLayout = needed(MmaOperand::A), rhsLayout = needed(MmaOperand::B);
    SharedLoader lhs(lhsLayout, cast<tileas::BufferType>(mma.getLhs().getType()), lhsBase, thread);
    SharedLoader rhs(rhsLayout, cast<tileas::BufferType>(mma.getRhs().getType()), rhsBase, thread);
    Coordinates lhsPlaces(lhsLayout), rhsPlaces(rhsLayout);
    llvm::DenseMap<uint64_t, uint64_t> lhsAt, rhsAt;
    for (uint64_t reg = 0; reg != lhsLayout.inputSize(Dim::Register); ++reg)
      lhsAt.try_emplace(lhsLayout.applyFlat({{Dim::Register, reg}}), reg);
    for (uint64_t reg = 0; reg != rhsLayout.inputSize(Dim::Register); ++reg)
      rhsAt.try_emplace(rhsLayout.applyFlat({{Dim::Register, reg}}), reg);
    for (int64_t k = 0; k != steps; ++k) {
      llvm::DenseMap<uint64_t, Value> rows, columns;
      for (auto [place, sum] : llvm::zip_equal(places, sums)) {
        uint64_t row = lhsPlaces.flat({place.batch, place.row, uint64_t(k)});
        uint64_t column = rhsPlaces.flat({place.batch, uint64_t(k), place.column});
        Value &x = rows[row];
        if (!x)
          x = number(lhs.get(lhsAt.at(row)), mma.getUnsignedLhs());
        Value &y = columns[column];
        if (!y)
          y = number(rhs.get(rhsAt.at(column)), mma.getUnsignedRhs());
        if (isa<IntegerType>(compute))
          sum = arith::AddIOp::create(b, thread.loc, sum, arith::MulIOp::create(b, thread.loc, x, y));
        else
          sum = math::FmaOp::create(b, thread.loc, x, y, sum);
      }
    }
    return sums;
  }

  tileas::MmaOp mma;
  Value lhsBase, rhsBase;
  ValueRange acc;
  ThreadBuilder &thread;
  const LinearLayout &layout;
  Coordinates coordinates;
  int64_t depth;
  Type result, compute;
  SmallVector<Place> places;
  SmallVector<uint64_t> own;
  llvm::DenseMap<uint64_t, unsigned> numberAt;
};

struct FmaPattern : TilePattern<tileas::MmaOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::MmaOp mma, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (mma.getAtom().getKind() != tileas::AtomKind::Fma)
      return failure();
    if (tileas::Fault fault = tileas::faultOfOperands(mma); !fault.empty())
      return thread.fail(mma, fault);
    ThreadProduct product(mma, adaptor.getLhs()[0], adaptor.getRhs()[0], adaptor.getAcc(), thread);
    return thread.replace(mma, product.run());
  }
};

} // namespace

void tilewright::populateFmaPattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<FmaPattern>(kernel);
}
