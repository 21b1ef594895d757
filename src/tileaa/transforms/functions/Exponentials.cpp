// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp and exp2: the argument is split into an integer n and a remainder f of at most half, e^f is a polynomial, and
// 2^n is multiplied in as two exact factors, so that results that overflow, underflow or are subnormal come out right.
// A NaN passes through the polynomial. The polynomials interpolate at Chebyshev nodes of the relative error: 2.6e-9 for
// f32, 5.7e-20 for f64.
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/functions/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

constexpr double exp2Single[] = {1.0,
                                 0.6931472067028326,
                                 0.24022650922288757,
                                 0.05550327226670302,
                                 0.009618056678524637,
                                 0.0013400428177615838,
                                 0.0001546144469856913};
constexpr double exp2Double[] = {1.0,
                                 0.6931471805599453,
                                 0.24022650695910072,
                                 0.0555041086648217,
                                 0.009618129107628484,
                                 0.0013333558146390353,
                                 0.00015403530393362755,
                                 1.5252733856293466e-05,
                                 1.3215486815999978e-06,
                                 1.0178051192960649e-07,
                                 7.054894386348348e-09,
                                 4.456675341049206e-10,
                                 2.5733568308756892e-11};
constexpr double expSingle[] = {1.0,
                                1.000000037716214,
                                0.5000000047117757,
                                0.16666415514653277,
                                0.04166635289677516,
                                0.008375126398153335,
                                0.0013941108433972674};
constexpr double expDouble[] = {1.0,
                                1.0,
                                0.5,
                                0.16666666666666702,
                                0.04166666666666669,
                                0.008333333333309528,
                                0.001388888888887189,
                                0.000198412699092171,
                                2.4801587350110797e-05,
                                2.7557224958392624e-06,
                                2.7557251904174915e-07,
                                2.5114869528657765e-08,
                                2.09215799649503e-09};

} // namespace

Value functions::powerOfTwo(const Arithmetic &a, Value n) {
  bool single = a.bitsType().getWidth() == 32;
  Value biased = arith::AddIOp::create(a.builder, a.loc, n, a.integer(single ? 127 : 1023, a.bitsType()));
  Value shifted = arith::ShLIOp::create(a.builder, a.loc, biased, a.integer(single ? 23 : 52, a.bitsType()));
  return a.fromBits(shifted);
}

// Added to a number without bits for fractions it is the low bits of the sum.
Value functions::wholeNumber(const Arithmetic &a, Value n) {
  Value base = a.constant(a.bitsType().getWidth() == 32 ? 0x1.8p23 : 0x1.8p52);
  return arith::SubIOp::create(a.builder, a.loc, a.bits(a.add(n, base)), a.bits(base));
}

static bool keepsExponentials(const Arithmetic &a) {
  return a.target && a.target->keepsExponentials(a);
}

static bool scalesInOne(const Arithmetic &a) {
  return a.target && a.target->scalesInOne(a);
}

// Both factors are normal.
Value functions::scale(const Arithmetic &a, Value x, Value n) {
  if (scalesInOne(a))
    return a.target->scale(a, x, n, {});
  Value whole = wholeNumber(a, n);
  Value half = arith::ShRSIOp::create(a.builder, a.loc, whole, a.integer(1, a.bitsType()));
  Value rest = arith::SubIOp::create(a.builder, a.loc, whole, half);
  return a.mul(a.mul(x, powerOfTwo(a, half)), powerOfTwo(a, rest));
}

Exponential functions::splitExponential(const Arithmetic &a, Value x, bool natural) {
  bool single = a.bitsType().getWidth() == 32;
  // Beyond these the result is infinite or zero anyway, and n stays within twice the exponent range. The lower bound is
  // not checked where one instruction scales.
  double limit = single ? (natural ? 174.0 : 252.0) : (natural ? 1416.0 : 2044.0);
  x = scalesInOne(a) ? a.select(a.compare(arith::CmpFPredicate::OGT, x, limit), a.constant(limit), x)
                     : a.clamp(x, -limit, limit);
  // So large a number has no bits for fractions: adding it rounds, in the multiplication's own instruction.
  Value whole = a.constant(single ? 0x1.8p23 : 0x1.8p52);
  Value n = a.sub(natural ? a.fma(x, a.constant(1.4426950408889634), whole) : a.add(x, whole), whole);
  Value remainder;
  if (natural) {
    // ln 2 in two parts, the first with enough trailing zeros that n times it is exact.
    Value high = a.constant(single ? -0.693359375 : -6.93145751953125e-1);
    Value low = a.constant(single ? 2.12194440054690583e-4 : -1.42860682030941723212e-6);
    remainder = a.fma(n, low, a.fma(n, high, x));
  } else {
    remainder = a.sub(x, n);
  }
  ArrayRef<double> coefficients = natural ? (single ? ArrayRef<double>(expSingle) : ArrayRef<double>(expDouble))
                                          : (single ? ArrayRef<double>(exp2Single) : ArrayRef<double>(exp2Double));
  return {a.polynomial(remainder, coefficients), n};
}

namespace {

Value exponential(const Arithmetic &a, Value x, bool natural) {
  Exponential e = splitExponential(a, x, natural);
  return scale(a, e.mantissa, e.exponent);
}

template <typename Op> struct ExpandExponential : OpRewritePattern<Op> {
  ExpandExponential(MLIRContext *context, const TargetFunctions *target)
      : OpRewritePattern<Op>(context, /*benefit=*/3), target(target) {}

  const TargetFunctions *target;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Arithmetic a{rewriter, op.getLoc(), op.getType(), target};
    if (keepsExponentials(a))
      return rewriter.notifyMatchFailure(op, "the target's own");
    constexpr bool natural = std::is_same_v<Op, math::ExpOp>;
    rewriter.replaceOp(op, scalesInOne(a) ? target->exponential(a, op.getOperand(), natural, {})
                                          : exponential(a, op.getOperand(), natural));
    return success();
  }
};

// exp2 without subnormal results: 2^x is one if x is below -126.
struct ExpandFlushedExp2 : OpRewritePattern<tileaa::FloatOp> {
  ExpandFlushedExp2(MLIRContext *context, const TargetFunctions *target)
      : OpRewritePattern(context, /*benefit=*/3), target(target) {}

  const TargetFunctions *target;

  LogicalResult matchAndRewrite(tileaa::FloatOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != tileaa::FloatKind::Exp2 || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not exp2 of f32");
    Arithmetic a{rewriter, op.getLoc(), op.getType(), target};
    Value x = op.getOperands().front();
    Value counts = a.compare(arith::CmpFPredicate::UGE, x, -126);
    if (scalesInOne(a))
      rewriter.replaceOp(op, target->exponential(a, x, /*natural=*/false, counts));
    else
      rewriter.replaceOp(op, a.select(counts, exponential(a, x, /*natural=*/false), a.constant(0)));
    return success();
  }
};

struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  ExpandRsqrt(MLIRContext *context, const TargetFunctions *target)
      : OpRewritePattern(context, /*benefit=*/3), target(target) {}

  const TargetFunctions *target;

  LogicalResult matchAndRewrite(math::RsqrtOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Arithmetic a{rewriter, op.getLoc(), op.getType(), target};
    if (keepsExponentials(a))
      return rewriter.notifyMatchFailure(op, "the target's own");
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, a.constant(1.0), root);
    return success();
  }
};

// A float to an integer power; upstream goes through the logarithm, which has none of negative bases. Small constant
// exponents are products. Other powers of an f32 are repeated squares in f64, which the rounding of 31 squarings hardly
// touches and whose reciprocal neither overflows nor underflows early. Those of an f64 are powers with a float
// exponent.
struct ExpandIntegerPower : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Arithmetic a{rewriter, op.getLoc(), op.getType()};
    APInt known;
    if (matchPattern(op.getRhs(), m_ConstantInt(&known)) && known.getSExtValue() >= 0 && known.getSExtValue() <= 4) {
      rewriter.replaceOp(op, multiply(a, op.getLhs(), known.getZExtValue()));
    } else if (element.isF64()) {
      // The C library's power 0 of a signaling NaN is not 1.
      Value exponent = arith::SIToFPOp::create(rewriter, op.getLoc(), op.getType(), op.getRhs());
      Value power = math::PowFOp::create(rewriter, op.getLoc(), op.getLhs(), exponent);
      Value isNone = a.compare(arith::CmpFPredicate::OEQ, exponent, 0);
      rewriter.replaceOp(op, a.select(isNone, a.constant(1.0), power));
    } else {
      Arithmetic wide = a.in(rewriter.getF64Type());
      rewriter.replaceOp(op, a.convert(square(wide, wide.convert(op.getLhs()), op.getRhs())));
    }
    return success();
  }

private:
  static Value multiply(const Arithmetic &a, Value x, uint64_t exponent) {
    if (exponent < 2)
      return exponent ? x : a.constant(1.0);
    Value square = a.mul(x, x);
    if (exponent == 4)
      return a.mul(square, square);
    return exponent == 3 ? a.mul(square, x) : square;
  }

  static Value square(const Arithmetic &a, Value x, Value exponent) {
    OpBuilder &builder = a.builder;
    Type integer = getElementTypeOrSelf(exponent.getType());
    Value zero = a.integer(0, integer), one = a.integer(1, integer), result = a.constant(1.0);
    Value negated = arith::SubIOp::create(builder, a.loc, zero, exponent);
    Value isNegative = arith::CmpIOp::create(builder, a.loc, arith::CmpIPredicate::slt, exponent, zero);
    // Without a sign, so that the magnitude of the smallest number is one too.
    Value rest = a.select(isNegative, negated, exponent);
    for (unsigned bit = 0, width = integer.getIntOrFloatBitWidth(); bit < width; ++bit) {
      if (bit > 0) {
        x = a.mul(x, x);
        rest = arith::ShRUIOp::create(builder, a.loc, rest, one);
      }
      Value low = arith::AndIOp::create(builder, a.loc, rest, one);
      Value isSet = arith::CmpIOp::create(builder, a.loc, arith::CmpIPredicate::ne, low, zero);
      result = a.select(isSet, a.mul(result, x), result);
    }
    return a.select(isNegative, a.div(a.constant(1.0), result), result);
  }
};

} // namespace

void functions::populateExponentials(RewritePatternSet &patterns, const TargetFunctions *target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandExponential<math::ExpOp>, ExpandExponential<math::Exp2Op>>(context, target);
  patterns.add<ExpandRsqrt>(context, target);
  patterns.add<ExpandIntegerPower>(context, /*benefit=*/3);
}

void functions::populateFlushedExp2(RewritePatternSet &patterns, const TargetFunctions *target) {
  patterns.add<ExpandFlushedExp2>(patterns.getContext(), target);
}

void functions::populateFunctions(RewritePatternSet &patterns, const TargetFunctions *target) {
  populateExponentials(patterns, target);
  populateHyperbolic(patterns, target);
  populateLogarithms(patterns, target);
  populateTrigonometry(patterns, target);
  populateDoubleLogarithms(patterns, target);
  populateDoubleTrigonometry(patterns, target);
  populateHalves(patterns);
}
