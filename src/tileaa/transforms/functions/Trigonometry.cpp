// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos, tan and atan2 of f32 for every argument, however large; docs/numerics.md has the errors.
//
// The angle is counted in quarter turns, in f64: the whole ones say which function of the rest is meant, the rest lies
// within an eighth of a turn. No f32 but zero lies closer than 2^-30 to a multiple of a quarter turn, so the rest needs
// 2/pi to some 2^-58 of a quarter turn. For large angles whole turns are left out of 2/pi beforehand: an x of 2^47 and
// more is the integer m times 2^(24 g), and m times (2^(24 g) 2/pi modulo 4) differs from x 2/pi by whole turns only.
#include "tileaa/transforms/functions/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

// 2^(24 g) * 2/pi modulo 4 (not reduced for g = 0) to 106 bits, as a double and what it lacks.
struct QuarterTurns {
  double high, low;
};
constexpr QuarterTurns twoOverPi[] = {{0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55},
                                      {0x1.b727220a94fe1p+1, 0x1.d5f47d4d37703p-54},
                                      {0x1.529fc2757d1f5p-4, 0x1.a6ee06db14acdp-59},
                                      {0x1.3abe8fa9a6ee0p-3, 0x1.b6c52b3278872p-57},
                                      {0x1.f534ddc0db629p+0, 0x1.664f10e4107f9p-54}};

// Added to a double below 2^51, leaves the nearest integer in the low bits.
constexpr double integerShift = 0x1.8p52;

// Minimax of the relative error up to pi/4: 2^-28 and 2^-33.
constexpr double sineTail[] = {-0.16666655242443085, 0.00833216030150652, -0.0001951520098373294};
constexpr double cosineTail[] = {0.04166664555668831, -0.0013887315290048718, 2.443306402710732e-05};
// atan(x)/x by x^2 up to 1: 2^-31.
constexpr double arcTangent[] = {0.9999999996284015,     -0.33333323934320436,  0.19999604590066783,
                                 -0.1427915909919022,    0.11054498496870387,   -0.08798764960031591,
                                 0.06716098123072108,    -0.044357450152845264, 0.022274383832839622,
                                 -0.0071994263060351235, 0.0010911245222701136};

// Below this sin x and tan x are x, whose sign a zero keeps.
constexpr double identical = 0x1p-13;

struct Turned {
  Value quadrant;     // whole quarter turns, modulo 4 in the low bits
  Value sine, cosine; // of the rest
};

Turned turn(const Arithmetic &a, Value x) {
  OpBuilder &builder = a.builder;
  Arithmetic wide = a.in(builder.getF64Type());
  Value magnitude = a.abs(x);
  Value angle = wide.convert(x);
  Value high = wide.constant(twoOverPi[0].high), low = wide.constant(twoOverPi[0].low), factor = wide.constant(1);
  for (int group = 1; group <= 4; ++group) {
    Value beyond = a.compare(arith::CmpFPredicate::OGE, magnitude, std::ldexp(1.0, 24 * group + 23));
    high = wide.select(beyond, wide.constant(twoOverPi[group].high), high);
    low = wide.select(beyond, wide.constant(twoOverPi[group].low), low);
    factor = wide.select(beyond, wide.constant(std::ldexp(1.0, -24 * group)), factor);
  }
  angle = wide.mul(angle, factor);

  // The product in two exact parts; an infinite angle becomes NaN in the second.
  Value turns = wide.mul(angle, high);
  Value lacking = wide.fma(angle, high, wide.negate(turns));
  Value shifted = wide.add(turns, wide.constant(integerShift));
  Value rest = wide.sub(turns, wide.sub(shifted, wide.constant(integerShift)));
  rest = wide.fma(angle, low, wide.add(rest, lacking));
  rest = wide.mul(rest, wide.constant(1.5707963267948966));

  Value r = a.convert(rest);
  Value rLow = a.convert(wide.sub(rest, wide.convert(r)));
  Value square = a.mul(r, r);
  Turned result;
  result.quadrant = arith::TruncIOp::create(builder, a.loc, a.like(builder.getI32Type()), wide.bits(shifted));
  result.sine = a.add(r, a.fma(a.mul(r, square), a.polynomial(square, sineTail), rLow));
  // 1 - r^2/2 and what its rounding lost.
  Value half = a.mul(r, a.constant(-0.5));
  Value leading = a.fma(half, r, a.constant(1));
  Value lost = a.fma(half, r, a.sub(a.constant(1), leading));
  Value tail = a.fma(a.mul(square, square), a.polynomial(square, cosineTail), a.sub(lost, a.mul(r, rLow)));
  result.cosine = a.add(leading, tail);
  return result;
}

Value isOdd(const Arithmetic &a, Value quadrant) {
  Type i32 = a.builder.getI32Type();
  Value bit = arith::AndIOp::create(a.builder, a.loc, quadrant, a.integer(1, i32));
  return arith::CmpIOp::create(a.builder, a.loc, arith::CmpIPredicate::ne, bit, a.integer(0, i32));
}

// Negates x where the bit `from` of quadrant is set.
Value negateBy(const Arithmetic &a, Value x, Value quadrant, int from) {
  Type i32 = a.builder.getI32Type();
  Value sign = arith::ShLIOp::create(a.builder, a.loc, quadrant, a.integer(31 - from, i32));
  sign = arith::AndIOp::create(a.builder, a.loc, sign, a.integer(INT32_MIN, i32));
  return a.fromBits(arith::XOrIOp::create(a.builder, a.loc, a.bits(x), sign));
}

Value keepSmall(const Arithmetic &a, Value x, Value result) {
  return a.select(a.compare(arith::CmpFPredicate::OLT, a.abs(x), identical), x, result);
}

Value sine(const Arithmetic &a, math::SinOp op) {
  Value x = op.getOperand();
  Turned t = turn(a, x);
  Value value = a.select(isOdd(a, t.quadrant), t.cosine, t.sine);
  return keepSmall(a, x, negateBy(a, value, t.quadrant, 1));
}

Value cosine(const Arithmetic &a, math::CosOp op) {
  Turned t = turn(a, op.getOperand());
  Value next = arith::AddIOp::create(a.builder, a.loc, t.quadrant, a.integer(1, a.builder.getI32Type()));
  return negateBy(a, a.select(isOdd(a, t.quadrant), t.sine, t.cosine), next, 1);
}

Value tangent(const Arithmetic &a, math::TanOp op) {
  Value x = op.getOperand();
  Turned t = turn(a, x);
  Value odd = isOdd(a, t.quadrant);
  Value quotient = a.div(a.select(odd, t.cosine, t.sine), a.select(odd, t.sine, t.cosine));
  return keepSmall(a, x, negateBy(a, quotient, t.quadrant, 0));
}

// The angle of the smaller coordinate over the larger one, in f64, where no quotient of two f32 is subnormal; the
// octant and the signs say the rest.
Value angleOf(const Arithmetic &narrow, math::Atan2Op op) {
  Value y = op.getLhs(), x = op.getRhs();
  Arithmetic a = narrow.in(narrow.builder.getF64Type());
  Value height = a.abs(a.convert(y)), width = a.abs(a.convert(x));
  Value steep = a.compare(arith::CmpFPredicate::OGT, height, width);
  Value smaller = a.select(steep, width, height), larger = a.select(steep, height, width);
  Value quotient = a.div(smaller, larger);
  // Two infinities are at half a right angle, two zeros at none.
  quotient = a.select(a.compare(arith::CmpFPredicate::OEQ, smaller, larger), a.constant(1), quotient);
  quotient = a.select(a.compare(arith::CmpFPredicate::OEQ, larger, 0), a.constant(0), quotient);
  Value angle = a.mul(quotient, a.polynomial(a.mul(quotient, quotient), arcTangent));
  angle = a.select(steep, a.sub(a.constant(1.5707963267948966), angle), angle);
  Value isLeft = arith::CmpIOp::create(a.builder, a.loc, arith::CmpIPredicate::slt, narrow.bits(x),
                                       narrow.integer(0, narrow.bitsType()));
  angle = a.select(isLeft, a.sub(a.constant(3.141592653589793), angle), angle);
  // NaN of either, which the choices above may have lost.
  angle = a.select(a.compare(arith::CmpFPredicate::UNO, height, width), a.add(height, width), angle);
  return narrow.copySign(narrow.convert(angle), y);
}

} // namespace

void functions::populateTrigonometry(RewritePatternSet &patterns, const TargetFunctions *target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandSingle<math::SinOp>>(context, target, sine);
  patterns.add<ExpandSingle<math::CosOp>>(context, target, cosine);
  patterns.add<ExpandSingle<math::TanOp>>(context, target, tangent);
  patterns.add<ExpandSingle<math::Atan2Op>>(context, target, angleOf);
}
