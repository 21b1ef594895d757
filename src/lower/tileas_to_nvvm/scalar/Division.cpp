// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions of f32, rounded to nearest, of several registers at once. An assembler's division has a branch to a slow
// path for each quotient, behind which nothing of the next one has begun; here all take the fast path in turns, and one
// branch behind them divides again where an operand of any was too large or too small for it:
//
//   r = rcp.approx(y)           q = x r
//   r = r + r (1 - y r)         q = q + r (x - y q), twice
//
// A quotient is rounded right if r is (P. Markstein, Computation of elementary functions on the IBM RISC System/6000,
// 1990). On sm_90 it is: on an H200 the reciprocals of all numbers were compared with rcp.rn.
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

// Between these no step of the fast path overflows, and none that counts is subnormal.
constexpr float leastOfOne = 0x1p-126f, mostOfOne = 0x1p126f; // magnitudes of divisors of 1
constexpr float leastOfAny = 0x1p-60f, mostOfAny = 0x1p60f;   // divisors, and magnitudes of dividends that are not zero

class FastDivision {
public:
  explicit FastDivision(ThreadBuilder &thread) : thread(thread), b(thread.builder) {}

  Value ofOne(Value y) {
    Value &known = reciprocals[y];
    if (known)
      return known;
    Value magnitude = math::AbsFOp::create(b, thread.loc, y);
    bound<arith::MaxNumFOp>(largestOfOne, magnitude);
    bound<arith::MinNumFOp>(smallestOfOne, magnitude);
    return known = reciprocal(y);
  }

  Value quotient(Value x, Value y) {
    Value &r = reciprocals[y];
    if (!r) {
      bound<arith::MaxNumFOp>(largest, y);
      bound<arith::MinNumFOp>(smallest, y);
      r = reciprocal(y);
    }
    bound<arith::MaxNumFOp>(largest, math::AbsFOp::create(b, thread.loc, x));
    bound<arith::MinUIOp>(smallestDividend, ordered(x));
    Value q = arith::MulFOp::create(b, thread.loc, x, r);
    for (int step = 0; step != 2; ++step) {
      // Exact; where it is zero rounding down makes it -0, by which a quotient keeps the sign of x.
      Value rest =
          computeByPtx("fma.rm.f32 $0, $1, $2, $3;", "=f,f,f,f", {negative(y), q, x}, b.getF32Type(), thread).front();
      q = fma(r, rest, q);
    }
    return q;
  }

  /// Whether an operand is out of its range. Not a number stays that on the fast path.
  Value isAnyOut() {
    using Predicate = arith::CmpFPredicate;
    Value out;
    auto note = [&](Value is) { out = out ? arith::OrIOp::create(b, thread.loc, out, is).getResult() : is; };
    for (auto [predicate, extreme, limit] :
         {std::tuple(Predicate::OGT, largestOfOne, mostOfOne), std::tuple(Predicate::OLT, smallestOfOne, leastOfOne),
          std::tuple(Predicate::OGT, largest, mostOfAny), std::tuple(Predicate::OLT, smallest, leastOfAny)})
      if (extreme)
        note(arith::CmpFOp::create(b, thread.loc, predicate, extreme, constant(limit)));
    if (smallestDividend)
      note(arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::ult, smallestDividend,
                                 ordered(constant(leastOfAny))));
    return out;
  }

private:
  template <typename Op> void bound(Value &extreme, Value x) {
    extreme = extreme ? Op::create(b, thread.loc, extreme, x).getResult() : x;
  }

  Value reciprocal(Value y) {
    Value rough = computeByPtx("rcp.approx.ftz.f32 $0, $1;", "=f,f", y, b.getF32Type(), thread).front();
    return fma(rough, fma(negative(y), rough, constant(1)), rough);
  }

  // A number without sign that is larger for larger magnitudes, and largest for zero.
  Value ordered(Value x) {
    Value bits = arith::BitcastOp::create(b, thread.loc, b.getI32Type(), x);
    return arith::SubIOp::create(b, thread.loc, arith::ShLIOp::create(b, thread.loc, bits, thread.i32(1)),
                                 thread.i32(1));
  }

  Value constant(float value) { return arith::ConstantOp::create(b, thread.loc, b.getF32FloatAttr(value)).getResult(); }
  Value negative(Value x) { return arith::NegFOp::create(b, thread.loc, x); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, thread.loc, x, y, z); }

  ThreadBuilder &thread;
  OpBuilder &b;
  llvm::DenseMap<Value, Value> reciprocals;
  Value largestOfOne, smallestOfOne, largest, smallest, smallestDividend;
};

// Registers of a tile from which on that is worth it. The check of a dividend is three integer operations: on an H200
// softmax of rows of 1024 and 16384 bf16 takes 19.9 and 267 us instead of 20.9 and 287, but dropout by a hash of
// integers 88 instead of 85.
constexpr size_t fewest = 4;

struct DivisionPattern : TilePattern<arith::DivFOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(arith::DivFOp division, Adaptor adaptor, ThreadBuilder &thread) const override {
    // More quotients with one check keep as many divisors in registers until then.
    constexpr size_t most = 8;
    ValueRange dividends = adaptor.getLhs(), divisors = adaptor.getRhs();
    bool areOnes = llvm::all_of(dividends, [](Value x) { return matchPattern(x, m_OneFloat()); });
    if (kernel.architecture.number != 90 || !getElementTypeOrSelf(division.getType()).isF32() ||
        arith::bitEnumContainsAny(division.getFastmath(), arith::FastMathFlags::afn) || divisors.size() < fewest)
      return failure();
    SmallVector<Value> quotients;
    for (size_t start = 0; start < divisors.size(); start += most) {
      size_t count = std::min(most, divisors.size() - start);
      llvm::append_range(quotients,
                         divide(areOnes, dividends.slice(start, count), divisors.slice(start, count), thread));
    }
    return thread.replace(division, quotients);
  }

private:
  static ValueRange divide(bool areOnes, ValueRange dividends, ValueRange divisors, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    FastDivision fast(thread);
    SmallVector<Value> quotients;
    for (auto [x, y] : llvm::zip_equal(dividends, divisors))
      quotients.push_back(areOnes ? fast.ofOne(y) : fast.quotient(x, y));
    SmallVector<Type> types(quotients.size(), b.getF32Type());
    auto choice = scf::IfOp::create(b, thread.loc, types, fast.isAnyOut(), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, thread.loc, quotients);
    b.setInsertionPointToStart(choice.thenBlock());
    for (auto [x, y, quotient] : llvm::zip_equal(dividends, divisors, quotients))
      quotient = arith::DivFOp::create(b, thread.loc, x, y);
    scf::YieldOp::create(b, thread.loc, quotients);
    return choice.getResults();
  }
};

} // namespace

void tilewright::populateDivisionPattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<DivisionPattern>(kernel);
}
