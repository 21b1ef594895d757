// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log, log2 and pow of f32. A logarithm splits its argument into a power of two and a factor from sqrt(1/2) to sqrt(2).
// The polynomials are minimax of the relative error.
#include "tileaa/transforms/functions/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

using Predicate = arith::CmpFPredicate;

namespace {

// (log(1 + f) - f + f^2/2) / f^3: 2^-30.
constexpr double logTail[] = {0.3333331346511841,  -0.25000008940696716, 0.2000211775302887,
                              -0.1666799932718277, 0.14219561219215393,  -0.12405538558959961,
                              0.11888039857149124, -0.11675912886857986, 0.0674724206328392};
// log2((1 + s) / (1 - s)) / s by s^2: 2^-37.
constexpr double log2Quotient[] = {2.8853900817900797, 0.9617966733498492, 0.5770835833317616, 0.4116728229888005,
                                   0.34072807840898506};
// 2^r for r up to a half: 2^-29.
constexpr double exp2Rest[] = {1.0000000005541099,   0.6931472057348868,    0.24022646890115523,   0.055503287816624156,
                               0.009618489060964235, 0.0013399929818629383, 0.00015345779771296525};

// A positive finite x as factor * 2^exponent, the factor from sqrt(1/2) to sqrt(2); other x give anything.
struct Parts {
  Value factor, exponent;
};

Parts split(const Arithmetic &a, Value x) {
  OpBuilder &builder = a.builder;
  IntegerType type = a.bitsType();
  Value isSubnormal = a.compare(Predicate::OLT, x, 0x1p-126);
  Value bits = a.bits(a.select(isSubnormal, a.mul(x, a.constant(0x1p23)), x));
  constexpr int64_t rootOfHalf = 0x3f3504f3;
  Value exponent = arith::SubIOp::create(builder, a.loc, bits, a.integer(rootOfHalf, type));
  exponent = arith::ShRSIOp::create(builder, a.loc, exponent, a.integer(23, type));
  Value taken = arith::ShLIOp::create(builder, a.loc, exponent, a.integer(23, type));
  Value factor = a.fromBits(arith::SubIOp::create(builder, a.loc, bits, taken));
  exponent = arith::SIToFPOp::create(builder, a.loc, a.type, exponent);
  return {factor, a.add(exponent, a.select(isSubnormal, a.constant(-23), a.constant(0)))};
}

// Replaces the result of a logarithm for operands to which `split` does not apply.
Value finishLogarithm(const Arithmetic &a, Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  // Infinity, or NaN.
  result = a.select(a.compare(Predicate::UGE, x, infinity), x, result);
  Value below = a.select(a.compare(Predicate::OEQ, x, 0), a.constant(-infinity), a.constant(std::nan("")));
  return a.select(a.compare(Predicate::OLE, x, 0), below, result);
}

// log(1 + f) - f.
Value logarithmTail(const Arithmetic &a, Value f) {
  Value square = a.mul(f, f);
  return a.fma(a.mul(square, f), a.polynomial(f, logTail), a.mul(square, a.constant(-0.5)));
}

Value logarithm(const Arithmetic &a, math::LogOp op) {
  auto [factor, exponent] = split(a, op.getOperand());
  Value f = a.sub(factor, a.constant(1));
  // ln 2 in two parts, the first short enough that its product with the exponent is exact.
  Value low = a.fma(exponent, a.constant(-2.12194440054690583e-4), logarithmTail(a, f));
  return finishLogarithm(a, op.getOperand(), a.fma(exponent, a.constant(0.693359375), a.add(f, low)));
}

Value binaryLogarithm(const Arithmetic &a, math::Log2Op op) {
  auto [factor, exponent] = split(a, op.getOperand());
  Value f = a.sub(factor, a.constant(1));
  // log2 e in two parts.
  Value high = a.constant(1.4426950216293335);
  Value low = a.fma(logarithmTail(a, f), high, a.mul(f, a.constant(1.925963033500011e-08)));
  return finishLogarithm(a, op.getOperand(), a.add(exponent, a.fma(f, high, low)));
}

} // namespace

Value functions::simplePower(const Arithmetic &a, Value x, Value y) {
  FloatAttr constant;
  DenseElementsAttr splat;
  APFloat exponent(0.0);
  if (matchPattern(y, m_Constant(&constant)))
    exponent = constant.getValue();
  else if (matchPattern(y, m_Constant(&splat)) && splat.isSplat())
    exponent = splat.getSplatValue<APFloat>();
  else
    return {};
  if (exponent.isExactlyValue(1))
    return x;
  if (exponent.isExactlyValue(2))
    return a.mul(x, x);
  if (exponent.isExactlyValue(-1))
    return a.div(a.constant(1), x);
  return {};
}

namespace {

// 2^(y log2 |x|), in f64: the product's whole part would cost f32 up to seven bits.
Value powerOfMagnitude(const Arithmetic &a, Value x, Value y) {
  double infinity = std::numeric_limits<double>::infinity();
  Arithmetic wide = a.in(a.builder.getF64Type());
  auto [factor, exponent] = split(a, x);
  Value f = wide.convert(factor);
  Value s = wide.div(wide.sub(f, wide.constant(1)), wide.add(f, wide.constant(1)));
  Value log = wide.fma(s, wide.polynomial(wide.mul(s, s), log2Quotient), wide.convert(exponent));
  log = wide.select(a.compare(Predicate::UGE, x, infinity), wide.convert(x), log);
  log = wide.select(a.compare(Predicate::OEQ, x, 0), wide.constant(-infinity), log);
  Value product = wide.mul(log, wide.convert(y));
  // Every power of 1 is 1, and so is the zeroth of everything.
  Value isOne =
      arith::OrIOp::create(a.builder, a.loc, a.compare(Predicate::OEQ, x, 1), a.compare(Predicate::OEQ, y, 0));
  product = wide.select(isOne, wide.constant(0), product);
  product = wide.clamp(product, -252, 252);
  Value whole = wide.roundEven(product);
  Value mantissa = wide.polynomial(wide.sub(product, whole), exp2Rest);
  return scale(a, a.convert(mantissa), a.convert(whole));
}

Value power(const Arithmetic &a, math::PowFOp op) {
  Value x = op.getLhs(), y = op.getRhs();
  if (Value simple = simplePower(a, x, y))
    return simple;
  return finishPower(a, x, y, powerOfMagnitude(a, a.abs(x), y));
}

} // namespace

Value functions::finishPower(const Arithmetic &a, Value x, Value y, Value result) {
  OpBuilder &builder = a.builder;
  double infinity = std::numeric_limits<double>::infinity();
  // A negative base: odd powers are negative, others than whole ones are not real.
  auto isWhole = [&](Value value) {
    return a.compare(Predicate::OEQ, math::FloorOp::create(builder, a.loc, value), value);
  };
  Value isNegative =
      arith::CmpIOp::create(builder, a.loc, arith::CmpIPredicate::slt, a.bits(x), a.integer(0, a.bitsType()));
  Value whole = isWhole(y);
  Value halved = a.mul(y, a.constant(0.5));
  // A half power too small to halve exactly is not whole itself.
  Value odd = arith::AndIOp::create(builder, a.loc, whole,
                                    a.compare(Predicate::UNE, math::FloorOp::create(builder, a.loc, halved), halved));
  Value flips = arith::AndIOp::create(builder, a.loc, isNegative, odd);
  result = a.select(flips, a.negate(result), result);
  Value unreal =
      arith::AndIOp::create(builder, a.loc, a.compare(Predicate::OLT, x, 0), a.compare(Predicate::OGT, x, -infinity));
  unreal = arith::AndIOp::create(builder, a.loc, unreal,
                                 a.compare(Predicate::UNE, math::FloorOp::create(builder, a.loc, y), y));
  return a.select(unreal, a.constant(std::nan("")), result);
}

void functions::populateLogarithms(RewritePatternSet &patterns, const TargetFunctions *target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandSingle<math::LogOp>>(context, target, logarithm);
  patterns.add<ExpandSingle<math::Log2Op>>(context, target, binaryLogarithm);
  patterns.add<ExpandSingle<math::PowFOp>>(context, target, power);
}
