// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log, log2 and pow of f64.
//
// With x = 2^e m and s = (m - 1) / (m + 1), ln m is 2 s (1 + s^2/3 + s^4/5 + s^6 P(s^2)). The first three terms are
// pairs of floats, and so is the sum: a logarithm is that, rounded, and a power is e to its product with the exponent,
// in which an error of the logarithm counts up to 745 times.
#include "tileaa/transforms/functions/Functions.h"
#include "tileaa/transforms/functions/Pairs.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

using Predicate = arith::CmpFPredicate;

namespace {

// Minimax of the relative error. (atanh(s)/s - 1 - s^2/3 - s^4/5) / s^6 by s^2: 2^-57.
constexpr double atanhTail[] = {0.14285714285714285, 0.11111111111111475, 0.09090909090650008, 0.0769230776254089,
                                0.06666657329804464, 0.05883025465782312, 0.05236439712420129, 0.05308649821642793};
// (e^r - 1 - r) / r^2 for r up to ln 2 / 2: 2^-58.
constexpr double expTail[] = {0.5,
                              0.1666666666666667,
                              0.041666666666666616,
                              0.008333333333326155,
                              0.0013888888888918,
                              0.00019841269874762156,
                              2.4801587245666136e-05,
                              2.7557255461676073e-06,
                              2.7557349666918986e-07,
                              2.5105195491688932e-08,
                              2.08893679100816e-09};

// ln 2 in two parts, the first with so many trailing zeros that an exponent times it is exact.
constexpr double ln2High = 0x1.62e42fefa3800p-1, ln2Low = 0x1.ef35793c76730p-45;
constexpr double infinity = std::numeric_limits<double>::infinity();

// A positive finite x as factor * 2^exponent, the factor from sqrt(1/2) to sqrt(2).
Pair split(const Arithmetic &a, Value x) {
  OpBuilder &builder = a.builder;
  IntegerType type = a.bitsType();
  Value isSubnormal = a.compare(Predicate::OLT, x, 0x1p-1022);
  Value bits = a.bits(a.select(isSubnormal, a.mul(x, a.constant(0x1p52)), x));
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd;
  Value exponent = arith::SubIOp::create(builder, a.loc, bits, a.integer(rootOfHalf, type));
  exponent = arith::ShRSIOp::create(builder, a.loc, exponent, a.integer(52, type));
  Value taken = arith::ShLIOp::create(builder, a.loc, exponent, a.integer(52, type));
  Value factor = a.fromBits(arith::SubIOp::create(builder, a.loc, bits, taken));
  exponent = arith::SIToFPOp::create(builder, a.loc, a.type, exponent);
  return {factor, a.add(exponent, a.select(isSubnormal, a.constant(-52), a.constant(0)))};
}

// ln m of a factor.
Pair logarithmOfFactor(const Arithmetic &a, Value m) {
  Value f = a.sub(m, a.constant(1)); // exact
  Pair s = divide(a, {f, a.constant(0)}, fastTwoSum(a, a.constant(2), f));
  s = fastTwoSum(a, s.high, s.low);
  Pair u = multiply(a, s, s);
  // 1/5 + u P(u), then 1/3 + u times that.
  Pair sum = fastTwoSum(a, a.constant(0.2), a.mul(u.high, a.polynomial(u.high, atanhTail)));
  sum.low = a.add(sum.low, a.constant(-0x1.999999999999ap-57));
  Pair term = multiply(a, u, sum);
  sum = fastTwoSum(a, a.constant(0x1.5555555555555p-2), term.high);
  sum.low = a.add(sum.low, a.add(term.low, a.constant(0x1.5555555555555p-56)));
  term = multiply(a, s, multiply(a, u, sum));
  sum = fastTwoSum(a, s.high, term.high);
  sum = fastTwoSum(a, sum.high, a.add(sum.low, a.add(s.low, term.low)));
  return {a.add(sum.high, sum.high), a.add(sum.low, sum.low)};
}

// Replaces the result of a logarithm for operands to which `split` does not apply.
Value finishLogarithm(const Arithmetic &a, Value x, Value result) {
  // Infinity, or NaN.
  result = a.select(a.compare(Predicate::UGE, x, infinity), x, result);
  Value below = a.select(a.compare(Predicate::OEQ, x, 0), a.constant(-infinity), a.constant(std::nan("")));
  return a.select(a.compare(Predicate::OLE, x, 0), below, result);
}

Value logarithm(const Arithmetic &a, math::LogOp op) {
  return finishLogarithm(a, op.getOperand(), logarithmPair(a, op.getOperand()).high);
}

Value binaryLogarithm(const Arithmetic &a, math::Log2Op op) {
  auto [factor, exponent] = split(a, op.getOperand());
  Pair log = multiply(a, logarithmOfFactor(a, factor), constantPair(a, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  Pair sum = fastTwoSum(a, exponent, log.high);
  return finishLogarithm(a, op.getOperand(), a.add(sum.high, a.add(sum.low, log.low)));
}

// e^(x + low), where |x| is at most 1400 and the low part small: 1 + r is exact in two parts, and what is added to it
// at most a twelfth.
Value exponentialOfPair(const Arithmetic &a, Value x, Value low) {
  Value whole = a.constant(0x1.8p52);
  Value n = a.sub(a.fma(x, a.constant(1.4426950408889634), whole), whole);
  Value r = a.fma(n, a.constant(-ln2High), x);
  low = a.fma(n, a.constant(-ln2Low), low);
  Pair rest = fastTwoSum(a, r, low);
  Pair sum = fastTwoSum(a, a.constant(1), rest.high);
  Value tail = a.mul(a.mul(rest.high, rest.high), a.polynomial(rest.high, expTail));
  // The low part times e^r.
  tail = a.add(tail, a.fma(rest.high, rest.low, rest.low));
  return scale(a, a.add(sum.high, a.add(sum.low, tail)), n);
}

Value powerOfMagnitude(const Arithmetic &a, Value x, Value y) {
  Pair log = logarithmPair(a, x);
  log.high = a.select(a.compare(Predicate::UGE, x, infinity), x, log.high);
  log.high = a.select(a.compare(Predicate::OEQ, x, 0), a.constant(-infinity), log.high);
  Pair product = twoProduct(a, log.high, y);
  product.low = a.fma(log.low, y, product.low);
  // Every power of 1 is 1, and so is the zeroth of everything.
  Value isOne =
      arith::OrIOp::create(a.builder, a.loc, a.compare(Predicate::OEQ, x, 1), a.compare(Predicate::OEQ, y, 0));
  // Beyond the bound the result is none that is finite and positive, and the low part is lost, or no number.
  constexpr double bound = 1400;
  Value high = a.clamp(a.select(isOne, a.constant(0), product.high), -bound, bound);
  Value counts = a.compare(Predicate::OLT, a.abs(high), bound);
  Value low = a.select(counts, product.low, a.constant(0));
  return exponentialOfPair(a, high, a.select(isOne, a.constant(0), low));
}

Value power(const Arithmetic &a, math::PowFOp op) {
  Value x = op.getLhs(), y = op.getRhs();
  if (Value simple = simplePower(a, x, y))
    return simple;
  return finishPower(a, x, y, powerOfMagnitude(a, a.abs(x), y));
}

} // namespace

Pair functions::logarithmPair(const Arithmetic &a, Value x) {
  auto [factor, exponent] = split(a, x);
  Pair log = logarithmOfFactor(a, factor);
  Pair sum = fastTwoSum(a, a.mul(exponent, a.constant(ln2High)), log.high);
  Value low = a.fma(exponent, a.constant(ln2Low), log.low);
  return fastTwoSum(a, sum.high, a.add(sum.low, low));
}

void functions::populateDoubleLogarithms(RewritePatternSet &patterns, const TargetFunctions *target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandDouble<math::LogOp>>(context, target, logarithm);
  patterns.add<ExpandDouble<math::Log2Op>>(context, target, binaryLogarithm);
  patterns.add<ExpandDouble<math::PowFOp>>(context, target, power);
}
