// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The larger (smaller) of two numbers, or the one that is not NaN, on vectors.
//
// x86 has "a > b, or else b", which is b where one is NaN. Under a mask of the numbers among the elements that leaves
// an accumulator alone: two instructions, of which the accumulator waits for one.
//
//   maxnumf(element, accumulator)  =  element is a number ? (accumulator > element ? accumulator : element) :
//   accumulator
//
// The lanes of accumulators are combined by vrangeps, which looks for NaN itself, but takes one that signals for the
// result. Elements may be such, an accumulator is never: no NaN but its first value gets there.
#include "cpu/math/ExpandMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

using Predicate = arith::CmpFPredicate;

bool hasInstruction(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && (vector.getElementType().isF32() || vector.getElementType().isF64());
}

// One instruction.
Value winner(const Arithmetic &a, Predicate wins, Value x, Value other) {
  return a.select(a.compare(wins, x, other), x, other);
}

template <typename Op> struct ExpandExtremum : OpRewritePattern<Op> {
  ExpandExtremum(MLIRContext *context, Predicate wins) : OpRewritePattern<Op>(context), wins(wins) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!hasInstruction(op.getType()) || bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nnan))
      return rewriter.notifyMatchFailure(op, "one instruction, or none");
    Arithmetic a{rewriter, op.getLoc(), op.getType()};
    Value element = op.getLhs(), accumulator = op.getRhs();
    Value isNumber = a.compare(Predicate::ORD, element, element);
    rewriter.replaceOp(op, a.select(isNumber, winner(a, wins, accumulator, element), accumulator));
    return success();
  }

  Predicate wins;
};

// The extremum of each lane of two vectors.
class Range {
public:
  Range(PatternRewriter &rewriter, Location loc, bool isMax) : rewriter(rewriter), loc(loc), isMax(isMax) {}

  Value operator()(Value x, Value y) const {
    auto type = cast<VectorType>(x.getType());
    int64_t most = 512 / type.getElementTypeBitWidth(), count = type.getNumElements();
    if (count <= most)
      return ofRegisters(x, y);
    Value result = ub::PoisonOp::create(rewriter, loc, type);
    for (int64_t at = 0; at < count; at += most) {
      auto part = [&](Value value) { return vector::ExtractStridedSliceOp::create(rewriter, loc, value, at, most, 1); };
      result = vector::InsertStridedSliceOp::create(rewriter, loc, ofRegisters(part(x), part(y)), result, at, 1);
    }
    return result;
  }

private:
  Value ofRegisters(Value x, Value y) const {
    auto type = cast<VectorType>(x.getType());
    unsigned width = type.getElementTypeBitWidth(), bits = width * type.getNumElements();
    int64_t mask = (int64_t(1) << type.getNumElements()) - 1;
    SmallVector<Value> operands{x, y, constant(isMax ? 5 : 4, 32), ub::PoisonOp::create(rewriter, loc, type),
                                constant(mask, type.getNumElements() == 16 ? 16 : 8)};
    if (bits == 512)
      operands.push_back(constant(/*as set, exceptions too=*/4, 32));
    std::string name = ("llvm.x86.avx512.mask.range.p" + Twine(width == 32 ? "s." : "d.") + Twine(bits)).str();
    return LLVM::CallIntrinsicOp::create(rewriter, loc, type, rewriter.getStringAttr(name), operands).getResult(0);
  }

  Value constant(int64_t value, unsigned width) const {
    return arith::ConstantIntOp::create(rewriter, loc, value, width);
  }

  PatternRewriter &rewriter;
  Location loc;
  bool isMax;
};

// The lower half of the lanes with the upper one; from a register of 128 bits on, lanes of it.
struct ExpandReduction : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op, PatternRewriter &rewriter) const override {
    bool isMax = op.getKind() == vector::CombiningKind::MAXNUMF;
    if (!isMax && op.getKind() != vector::CombiningKind::MINNUMF)
      return rewriter.notifyMatchFailure(op, "not an extremum of numbers");
    Value lanes = op.getVector();
    auto type = cast<VectorType>(lanes.getType());
    int64_t width = type.getElementTypeBitWidth(), lanesOfLast = 128 / width, count = type.getNumElements();
    if (op.getAcc() || !hasInstruction(type) || !llvm::isPowerOf2_64(count) || count < lanesOfLast)
      return rewriter.notifyMatchFailure(op, "has an accumulator, or no whole register");
    Location loc = op.getLoc();
    Range range(rewriter, loc, isMax);
    while (count > 1) {
      count /= 2;
      Value low = lanes, high;
      if (count >= lanesOfLast) {
        low = vector::ExtractStridedSliceOp::create(rewriter, loc, lanes, 0, count, 1);
        high = vector::ExtractStridedSliceOp::create(rewriter, loc, lanes, count, count, 1);
      } else {
        SmallVector<int64_t> order(lanesOfLast, count); // of the lanes above these halves, nothing is used
        std::iota(order.begin(), order.begin() + count, count);
        high = vector::ShuffleOp::create(rewriter, loc, lanes, lanes, order);
      }
      lanes = range(low, high);
    }
    rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, lanes, 0);
    return success();
  }
};

} // namespace

void cpu::populateExtrema(RewritePatternSet &patterns) {
  patterns.add<ExpandExtremum<arith::MaxNumFOp>>(patterns.getContext(), Predicate::OGT);
  patterns.add<ExpandExtremum<arith::MinNumFOp>>(patterns.getContext(), Predicate::OLT);
  patterns.add<ExpandReduction>(patterns.getContext());
}
