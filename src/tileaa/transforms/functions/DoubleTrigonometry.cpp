// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos, tan and atan2 of f64 for every argument, however large.
//
// An angle x = m 2^e, m a whole number of 53 bits, is m times (2^e 2/pi modulo 4) quarter turns, but for whole turns.
// Of 2^e 2/pi modulo 4 there are 192 bits: a window of the bits of 2/pi that begins where e says. No f64 but zero lies
// closer than 2^-61 to a multiple of a quarter turn, so that the rest, as a pair of floats, keeps 2^-68 of itself.
// Angles below an eighth of a turn are their own rest.
#include "tileaa/transforms/functions/Functions.h"
#include "tileaa/transforms/functions/Pairs.h"
#include "tileaa/transforms/legalize/Expr.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;
using legalize::Expr;

using Predicate = arith::CmpFPredicate;

namespace {

// The bits of 2/pi, after 64 zeros.
constexpr uint64_t twoOverPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                  0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                  0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                  0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                  0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
// Of an x whose exponent field is this, the window begins with the first of them.
constexpr int64_t firstField = 1013;

// Minimax of the relative error up to pi/4: 2^-67 and 2^-73.
constexpr double sineTail[] = {-0.16666666666666666,  0.008333333333333325,    -0.0001984126984125619,
                               2.755731921440783e-06, -2.5052104900097902e-08, 1.6058358829642465e-10,
                               -7.578078346446123e-13};
constexpr double cosineTail[] = {0.041666666666666664,    -0.0013888888888888885, 2.4801587301579712e-05,
                                 -2.7557319218661127e-07, 2.0876755050324095e-09, -1.1470364820228995e-11,
                                 4.741080022587569e-14};
// (atan t - t) / t^3 by t^2 up to 0.236^2: 2^-63.
constexpr double arcTail[] = {-0.3333333333333333,  0.19999999999999993, -0.14285714285710302, 0.11111111110194014,
                              -0.09090908983561063, 0.07692300462064508, -0.06666369349300928, 0.05874748008696559,
                              -0.051444251586848,   0.03709942707523551};

constexpr double infinity = std::numeric_limits<double>::infinity();

Expr wrap(const Arithmetic &a, Value value) {
  return Expr(a.builder, a.loc, value);
}

// The 192 bits of 2/pi that begin at `position`, the highest word first.
SmallVector<Expr> windowOf(const Expr &position) {
  SmallVector<Expr> words;
  for (uint64_t word : twoOverPi)
    words.push_back(position.integer(word));
  // Whole words: by powers of two, of which each leaves fewer that may be asked for.
  Expr number = position >> 6;
  size_t needed = 4;
  for (unsigned bit = 5; bit-- > 0;) {
    Expr isSet = ((number >> bit) & 1) != 0;
    size_t step = size_t(1) << bit, left = std::min(words.size(), needed + step - 1);
    SmallVector<Expr> moved;
    for (size_t i = 0; i != left; ++i)
      moved.push_back(i + step < words.size() ? select(isSet, words[i + step], words[i]) : words[i]);
    words = moved;
  }
  Expr shift = position & uint64_t(63);
  SmallVector<Expr> window;
  for (unsigned i = 0; i != 3; ++i)
    window.push_back(words[i] << shift | (words[i + 1] >> 1) >> (shift ^ position.integer(63)));
  return window;
}

// m times a number of 192 bits, modulo 2^192, the highest word first: in digits of 32 bits.
SmallVector<Expr> multiply(const Expr &m, ArrayRef<Expr> words) {
  constexpr uint64_t digit = 0xFFFFFFFF;
  Expr low = m & digit, high = m >> 32;
  SmallVector<Expr> digits;
  for (const Expr &word : llvm::reverse(words)) {
    digits.push_back(word & digit);
    digits.push_back(word >> 32);
  }
  SmallVector<Expr> sums;
  Expr carry = m.integer(0);
  std::optional<Expr> lowBefore, highBefore;
  for (size_t i = 0; i != digits.size(); ++i) {
    Expr product = low * digits[i];
    Expr sum = carry + (product & digit);
    if (lowBefore)
      sum = sum + (*lowBefore >> 32);
    if (highBefore)
      sum = sum + (*highBefore >> 32);
    if (i > 0) {
      Expr other = high * digits[i - 1];
      sum = sum + (other & digit);
      highBefore = other;
    }
    lowBefore = product;
    sums.push_back(sum & digit);
    carry = sum >> 32;
  }
  SmallVector<Expr> result;
  for (size_t i = sums.size(); i > 0; i -= 2)
    result.push_back(sums[i - 1] << 32 | sums[i - 2]);
  return result;
}

struct Turned {
  Expr quadrant; // whole quarter turns, modulo 4 in the low bits: i64
  Pair rest;     // the angle that is left
};

Turned turn(const Arithmetic &a, Value x) {
  Expr bits = wrap(a, a.bits(a.abs(x)));
  Expr field = bits >> 52;
  Expr mantissa = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
  SmallVector<Expr> turns = multiply(mantissa, windowOf(field - firstField));

  // Two bits are whole quarter turns, the others a fraction: from a half on it is the next one's, and negative.
  SmallVector<Expr> fraction;
  for (unsigned i = 0; i != 3; ++i)
    fraction.push_back(i < 2 ? turns[i] << 2 | turns[i + 1] >> 62 : turns[i] << 2);
  Expr quadrant = (turns[0] >> 62) + (fraction[0] >> 63);
  // Four exact floats, of which only the first has a sign.
  auto number = [&](const Expr &integer, bool isUnsigned, int exponent) -> Value {
    Expr real = integer.toFloat(Float64Type::get(a.builder.getContext()), isUnsigned);
    return a.mul(real, a.constant(std::ldexp(1.0, exponent)));
  };
  constexpr uint64_t low48 = (uint64_t(1) << 48) - 1;
  Value p3 = number(fraction[0].shiftedRightSigned(bits.integer(16)), false, -48);
  Value p2 = number((fraction[0] << 32 | fraction[1] >> 32) & low48, false, -96);
  Value p1 = number((fraction[1] << 16 | fraction[2] >> 48) & low48, false, -144);
  Value p0 = number(fraction[2] & low48, false, -192);
  Pair first = twoSum(a, p3, p2), second = twoSum(a, first.high, p1);
  Value rest = a.add(a.add(first.low, second.low), p0);
  Pair angle = fastTwoSum(a, second.high, rest);
  angle = functions::multiply(a, angle, constantPair(a, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));

  Value magnitude = a.abs(x);
  Value isSmall = a.compare(Predicate::OLT, magnitude, 0x1.921fb54442d18p-1);
  angle = functions::select(a, isSmall, {magnitude, a.constant(0)}, angle);
  quadrant = select(wrap(a, isSmall), quadrant.integer(0), quadrant);
  // Neither infinity nor NaN is an angle.
  Value isNone = a.compare(Predicate::UGE, magnitude, infinity);
  angle = functions::select(a, isNone, constantPair(a, std::nan(""), 0), angle);
  return {quadrant, angle};
}

// Of an angle up to pi/4.
Pair sineOf(const Arithmetic &a, Pair r) {
  Value square = a.mul(r.high, r.high);
  // The low part times the cosine, near enough.
  Value low = a.mul(r.low, a.fma(square, a.constant(-0.5), a.constant(1)));
  return fastTwoSum(a, r.high, a.fma(a.mul(r.high, square), a.polynomial(square, sineTail), low));
}
Pair cosineOf(const Arithmetic &a, Pair r) {
  Value square = a.mul(r.high, r.high), half = a.mul(r.high, a.constant(-0.5));
  // 1 - r^2/2 and what its rounding lost.
  Value leading = a.fma(half, r.high, a.constant(1));
  Value lost = a.fma(half, r.high, a.sub(a.constant(1), leading));
  Value tail = a.sub(lost, a.mul(r.high, r.low));
  return fastTwoSum(a, leading, a.fma(a.mul(square, square), a.polynomial(square, cosineTail), tail));
}

Value isOdd(const Expr &quadrant) {
  return (quadrant & 1) != 0;
}

// Negates x where the bit `from` of the quadrant is set.
Value negateBy(const Arithmetic &a, Value x, const Expr &quadrant, unsigned from) {
  Expr sign = (quadrant >> from) << 63;
  return a.fromBits(wrap(a, a.bits(x)) ^ sign);
}
// Of an odd function, which a zero keeps its sign under.
Value withSignOf(const Arithmetic &a, Value result, Value x) {
  Expr sign = wrap(a, a.bits(x)) & uint64_t(1) << 63;
  return a.fromBits(wrap(a, a.bits(result)) ^ sign);
}

Value sine(const Arithmetic &a, math::SinOp op) {
  Turned t = turn(a, op.getOperand());
  Value value = a.select(isOdd(t.quadrant), cosineOf(a, t.rest).high, sineOf(a, t.rest).high);
  return withSignOf(a, negateBy(a, value, t.quadrant, 1), op.getOperand());
}

Value cosine(const Arithmetic &a, math::CosOp op) {
  Turned t = turn(a, op.getOperand());
  Value value = a.select(isOdd(t.quadrant), sineOf(a, t.rest).high, cosineOf(a, t.rest).high);
  return negateBy(a, value, t.quadrant + 1, 1);
}

Value tangent(const Arithmetic &a, math::TanOp op) {
  Value x = op.getOperand();
  Turned t = turn(a, x);
  Pair sine = sineOf(a, t.rest), cosine = cosineOf(a, t.rest);
  Value odd = isOdd(t.quadrant);
  Pair quotient = divide(a, functions::select(a, odd, cosine, sine), functions::select(a, odd, sine, cosine));
  Value value = negateBy(a, a.add(quotient.high, quotient.low), t.quadrant, 0);
  value = withSignOf(a, value, x);
  // Below this the tangent is x, whose quotient by 1 could lose a subnormal's bits.
  return a.select(a.compare(Predicate::OLT, a.abs(x), 0x1p-27), x, value);
}

// The angle of the smaller coordinate over the larger one is reduced: for a slope s = n/d around c, one of
// 0, a half and 1, it is atan c + atan((n - c d) / (d + c n)). The octant and the signs say the rest.
Value angleOf(const Arithmetic &a, math::Atan2Op op) {
  Value y = op.getLhs(), x = op.getRhs();
  Value height = a.abs(y), width = a.abs(x);
  Value steep = a.compare(Predicate::OGT, height, width);
  Value n = a.select(steep, width, height), d = a.select(steep, height, width);
  // Two infinities are at half a right angle, two zeros at none.
  Value isInfinite = a.compare(Predicate::OEQ, d, infinity);
  Value both = a.compare(Predicate::OEQ, n, infinity);
  n = a.select(isInfinite, a.select(both, a.constant(1), a.constant(0)), n);
  d = a.select(arith::OrIOp::create(a.builder, a.loc, isInfinite, a.compare(Predicate::OEQ, d, 0)), a.constant(1), d);
  // Where sums could overflow, or errors of products underflow.
  Value factor = a.select(a.compare(Predicate::OGT, d, 0x1p1000), a.constant(0x1p-100), a.constant(1));
  factor = a.select(a.compare(Predicate::OLT, d, 0x1p-800), a.constant(0x1p200), factor);
  n = a.mul(n, factor), d = a.mul(d, factor);

  Value half = a.compare(Predicate::OGT, n, a.mul(d, a.constant(0.236)));
  Value whole = a.compare(Predicate::OGT, n, a.mul(d, a.constant(0.7208)));
  Value c = a.select(whole, a.constant(1), a.select(half, a.constant(0.5), a.constant(0)));
  Pair base =
      functions::select(a, half, constantPair(a, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56), constantPair(a, 0, 0));
  base = functions::select(a, whole, constantPair(a, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55), base);
  Pair t = divide(a, twoSum(a, n, a.negate(a.mul(c, d))), twoSum(a, d, a.mul(c, n)));
  Value square = a.mul(t.high, t.high);
  Value tail = a.fma(a.mul(t.high, square), a.polynomial(square, arcTail), t.low);
  auto addTo = [&](Pair sum, Value high, Value low) {
    Pair exact = twoSum(a, sum.high, high);
    return fastTwoSum(a, exact.high, a.add(exact.low, a.add(sum.low, low)));
  };
  Pair angle = addTo(base, t.high, tail);
  auto lessThan = [&](Pair limit) { return addTo(limit, a.negate(angle.high), a.negate(angle.low)); };
  angle = functions::select(a, steep, lessThan(constantPair(a, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)), angle);
  Value isLeft =
      arith::CmpIOp::create(a.builder, a.loc, arith::CmpIPredicate::slt, a.bits(x), a.integer(0, a.bitsType()));
  angle = functions::select(a, isLeft, lessThan(constantPair(a, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53)), angle);
  // NaN of either, which the choices above may have lost.
  Value result = a.select(a.compare(Predicate::UNO, height, width), a.add(height, width), angle.high);
  return a.copySign(result, y);
}

} // namespace

void functions::populateDoubleTrigonometry(RewritePatternSet &patterns, const TargetFunctions *target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandDouble<math::SinOp>>(context, target, sine);
  patterns.add<ExpandDouble<math::CosOp>>(context, target, cosine);
  patterns.add<ExpandDouble<math::TanOp>>(context, target, tangent);
  patterns.add<ExpandDouble<math::Atan2Op>>(context, target, angleOf);
}
