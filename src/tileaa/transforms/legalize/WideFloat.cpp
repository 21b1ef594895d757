// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directed rounding of f64. The operands are scaled near 1, with separate exponents, so that nothing overflows or
// underflows and the error of each operation is a float too: an fma knows what a product, quotient or root lost. The
// result is put together from its significand, the sign of the error and the exponent.
#include "tileaa/transforms/legalize/WideFloat.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::legalize;
using tileaa::FloatKind;
using tileaa::Rounding;

namespace {

constexpr int bias = 1023, mantissaBits = 52, minExponent = -1022;
constexpr uint64_t mantissaMask = (uint64_t(1) << mantissaBits) - 1, signMask = uint64_t(1) << 63;

/// factor * 2^exponent, the factor from 1 to 2 in magnitude. Zero, infinity and NaN have some factor.
struct Scaled {
  Expr factor, exponent;
};

/// (sum + rest) * 2^exponent.
struct ScaledSum {
  TwoSum number;
  Expr exponent;
};

Expr powerOfTwo(const Expr &exponent) {
  return ((exponent + bias) << mantissaBits).as(Float64Type::get(static_cast<Value>(exponent).getContext()));
}

Expr fieldOf(const Expr &bits) {
  return (bits >> mantissaBits) & uint64_t(0x7FF);
}

Scaled takeApart(const Expr &x) {
  Expr isSubnormal = fieldOf(x.bits()) == 0;
  constexpr int lift = 54;
  Expr bits = select(isSubnormal, x * x.real(std::ldexp(1.0, lift)), x).bits();
  Expr exponent = fieldOf(bits) - select(isSubnormal, bits.integer(bias + lift), bits.integer(bias));
  Expr factor = (bits & (signMask | mantissaMask)) | uint64_t(bias) << mantissaBits;
  return {factor.as(x.element()), exponent};
}

/// The exponent of a term of a sum; zero is below every other.
Expr exponentOf(const Expr &x, const Expr &exponent) {
  return select(x == 0, exponent.integer(-10000), exponent);
}

/// A term of a sum of about 2^exponent, without that power. The exponent of one so small that only its sign counts is
/// raised.
Expr bringNear(const Expr &factor, const Expr &own, const Expr &exponent) {
  constexpr int far = -120;
  Expr distance = own - exponent;
  return factor * powerOfTwo(larger(distance, distance.integer(far)));
}

ScaledSum add(const Expr &a, const Expr &b) {
  Scaled left = takeApart(a), right = takeApart(b);
  Expr leftExponent = exponentOf(a, left.exponent), rightExponent = exponentOf(b, right.exponent);
  Expr exponent = larger(leftExponent, rightExponent);
  return {addExactly(bringNear(left.factor, leftExponent, exponent),
                     select(b == 0, b, bringNear(right.factor, rightExponent, exponent))),
          exponent};
}

ScaledSum multiply(const Expr &a, const Expr &b) {
  Scaled left = takeApart(a), right = takeApart(b);
  Expr product = left.factor * right.factor;
  return {{product, fma(left.factor, right.factor, -product)}, left.exponent + right.exponent};
}

/// The error of an fma is a sum of two floats (Boldo and Muller, "Exact and approximated error of the FMA"); of which
/// the sign of the rounded sum is right.
ScaledSum multiplyAdd(const Expr &a, const Expr &b, const Expr &c) {
  Scaled left = takeApart(a), right = takeApart(b), added = takeApart(c);
  Expr productExponent = left.exponent + right.exponent, termExponent = exponentOf(c, added.exponent);
  Expr exponent = larger(productExponent, termExponent);
  Expr factor = bringNear(left.factor, productExponent, exponent);
  Expr term = select(c == 0, c, bringNear(added.factor, termExponent, exponent));
  Expr product = factor * right.factor;
  Expr sum = fma(factor, right.factor, term);
  TwoSum low = addExactly(term, fma(factor, right.factor, -product));
  TwoSum high = addExactly(product, low.sum);
  return {{sum, ((high.sum - sum) + high.rest) + low.rest}, exponent};
}

ScaledSum divide(const Expr &a, const Expr &b) {
  Scaled left = takeApart(a), right = takeApart(b);
  Expr quotient = left.factor / right.factor;
  Expr rest = fma(-quotient, right.factor, left.factor);
  rest = (rest.bits() ^ (b.bits() & signMask)).as(b.element());
  return {{quotient, rest}, left.exponent - right.exponent};
}

ScaledSum takeRoot(const Expr &x) {
  Scaled parts = takeApart(x);
  Expr isOdd = (parts.exponent & 1) != 0;
  Expr factor = select(isOdd, parts.factor + parts.factor, parts.factor);
  Expr root = factor.make<math::SqrtOp>(factor);
  return {{root, fma(-root, root, factor)}, parts.exponent.shiftedRightSigned(x.bits().integer(1))};
}

/// Rounds by a directed mode. Two more bits of significand and the sign of the rest are as good as all.
Expr putTogether(const ScaledSum &exact, Rounding rounding) {
  Expr bits = exact.number.sum.bits(), rest = exact.number.rest;
  Expr isNegative = bits < 0;
  Expr significand = ((bits & mantissaMask) | (mantissaMask + 1)) << 2;
  Expr sameSign = (bits ^ rest.bits()).isNegative();
  Expr nudged = select(sameSign, significand - 1, significand + 1);
  significand = select((rest < 0) | (rest > 0), nudged, significand);

  Expr exponent = exact.exponent + fieldOf(bits) - bias;
  // A power of two less something has its leading bit one place lower.
  Expr isLower = significand < static_cast<int64_t>(uint64_t(1) << (mantissaBits + 2));
  Expr one = bits.integer(1), zero = bits.integer(0);
  exponent = select(isLower, exponent - 1, exponent);
  Expr dropped = select(isLower, one, bits.integer(2)) + larger(minExponent - exponent, zero);
  dropped = smaller(dropped, bits.integer(mantissaBits + 4));
  Expr rounded = significand;
  if (rounding != Rounding::Zero) {
    Expr all = (one << dropped) - 1;
    rounded = significand +
              (rounding == Rounding::PositiveInf ? select(isNegative, zero, all) : select(isNegative, all, zero));
  }
  // Up to the exponent beyond the last, which overflows; rounded up, as far as into the sign.
  Expr above = smaller(larger(exponent - minExponent, zero), bits.integer(bias + 1 - minExponent));
  Expr code = (above << mantissaBits) + (rounded >> dropped);
  constexpr uint64_t infinity = uint64_t(0x7FF) << mantissaBits;
  Expr overflow = bits.integer(infinity - 1);
  if (rounding != Rounding::Zero) {
    bool isUp = rounding == Rounding::PositiveInf;
    overflow = select(isNegative, bits.integer(infinity - isUp), bits.integer(infinity - !isUp));
  }
  code = select((code < static_cast<int64_t>(infinity)) & (code > -1), code, overflow);
  return (code | (bits & signMask)).as(exact.number.sum.element());
}

} // namespace

Expr legalize::computeWide(FloatKind kind, ArrayRef<Expr> x, Rounding rounding) {
  auto compute = [&]() -> std::pair<Expr, ScaledSum> {
    switch (kind) {
    case FloatKind::Add:
      return {x[0] + x[1], add(x[0], x[1])};
    case FloatKind::Sub:
      return {x[0] - x[1], add(x[0], -x[1])};
    case FloatKind::Mul:
      return {x[0] * x[1], multiply(x[0], x[1])};
    case FloatKind::Fma:
      return {fma(x[0], x[1], x[2]), multiplyAdd(x[0], x[1], x[2])};
    case FloatKind::Sqrt:
      return {x[0].make<math::SqrtOp>(x[0]), takeRoot(x[0])};
    default:
      assert(kind == FloatKind::Div);
      return {x[0] / x[1], divide(x[0], x[1])};
    }
  };
  auto [nearest, exact] = compute();
  // Results that need no rounding: of infinities and NaN, of zero factors, and zero itself.
  Expr isPlain = exact.number.sum == 0;
  for (auto [i, operand] : llvm::enumerate(x)) {
    Expr field = fieldOf(operand.bits());
    isPlain = isPlain | (field == 0x7FF);
    if (i == 0 || (kind != FloatKind::Add && kind != FloatKind::Sub && i == 1))
      isPlain = isPlain | (operand == 0);
  }
  if (kind == FloatKind::Sqrt)
    isPlain = isPlain | (x[0] < 0);
  return select(isPlain, nearest, putTogether(exact, rounding));
}
