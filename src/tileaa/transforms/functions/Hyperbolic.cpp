// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sinh, cosh and tanh of f32 and f64: by e^x where that loses no precision, and by polynomials near zero, where it
// would. The polynomials are minimax of the relative error.
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/functions/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

using Predicate = arith::CmpFPredicate;

namespace {

// (sinh x - x) / x^3 by x^2 up to 1, and (tanh x - x) / x^3 by x^2 up to 0.625^2. Of f32: 2^-34 and 2^-32.
constexpr double sinhTailOfSingle[] = {0.1666666716337204, 0.008333349600434303, 0.0001983615948120132,
                                       2.8169513370812638e-06};
constexpr double tanhTailOfSingle[] = {-0.3333333134651184,  0.1333320587873459,   -0.05394676327705383,
                                       0.021700704470276833, -0.00817740336060524, 0.002142965793609619};
// Of f64: 2^-61.
constexpr double sinhTailOfDouble[] = {0.16666666666666666,    0.008333333333333333,   0.0001984126984126984,
                                       2.7557319223985825e-06, 2.5052108385475767e-08, 1.605904382696559e-10,
                                       7.647165406894838e-13,  2.8112914388382336e-15, 8.309053314064673e-18};
constexpr double tanhTailOfDouble[] = {-0.3333333333333333,    0.13333333333333322,     -0.053968253968235916,
                                       0.021869488535133826,   -0.008863235499816652,   0.003592127507811381,
                                       -0.0014558284017831076, 0.0005899818276865654,   -0.00023888949433801545,
                                       9.604121987818398e-05,  -3.7081286871441125e-05, 1.2210133908685103e-05,
                                       -2.438922078283859e-06};

bool isDouble(const Arithmetic &a) {
  return getElementTypeOrSelf(a.type).isF64();
}

// e^|x| / 2, which is finite wherever sinh and cosh are.
Value halfExponential(const Arithmetic &a, Value magnitude) {
  Exponential e = splitExponential(a, magnitude, /*natural=*/true);
  return scale(a, e.mantissa, a.sub(e.exponent, a.constant(1)));
}

// x + x^3 P(x^2).
Value nearZero(const Arithmetic &a, Value x, ArrayRef<double> tail) {
  Value square = a.mul(x, x);
  return a.fma(a.mul(x, square), a.polynomial(square, tail), x);
}

Value hyperbolicSine(const Arithmetic &a, math::SinhOp op) {
  Value x = a.abs(op.getOperand());
  Value half = halfExponential(a, x);
  Value large = a.sub(half, a.div(a.constant(0.25), half));
  Value small = isDouble(a) ? nearZero(a, x, sinhTailOfDouble) : nearZero(a, x, sinhTailOfSingle);
  return a.copySign(a.select(a.compare(Predicate::OLT, x, 1), small, large), op.getOperand());
}

Value hyperbolicCosine(const Arithmetic &a, math::CoshOp op) {
  Value half = halfExponential(a, a.abs(op.getOperand()));
  return a.add(half, a.div(a.constant(0.25), half));
}

// 2 / (e^2x + 1) for x from 0.
Value complementOfTangent(const Arithmetic &a, Value x) {
  Exponential e = splitExponential(a, a.add(x, x), /*natural=*/true);
  return a.div(a.constant(2), a.add(scale(a, e.mantissa, e.exponent), a.constant(1)));
}

// The same, subtracted from 1, by rough instructions: where it counts, it is at most 0.45, half of the result, and only
// a part of the exponential's error gets into it. The reciprocal of a large sum, and of infinity, is zero.
Value roughTangent(const Arithmetic &a, Value x) {
  Value power = a.mul(x, a.constant(2 * 1.4426950408889634));
  Value e = tileaa::FloatOp::create(a.builder, a.loc, a.type, tileaa::FloatKind::Exp2, power,
                                    tileaa::Rounding::NearestEven, /*flush=*/true);
  Value reciprocal = arith::DivFOp::create(a.builder, a.loc, a.constant(1), a.add(e, a.constant(1)),
                                           arith::FastMathFlags::afn | arith::FastMathFlags::arcp);
  return a.fma(reciprocal, a.constant(-2), a.constant(1));
}

// 1 - 2 / (e^2x + 1). An approximate tanh of f32 stays, for the instructions of targets.
Value hyperbolicTangent(const Arithmetic &a, math::TanhOp op) {
  if (!isDouble(a) && arith::bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
    return {};
  Value x = a.abs(op.getOperand());
  bool isRough = a.target && a.target->hasRoughInstructions(a);
  Value large = isRough ? roughTangent(a, x) : a.sub(a.constant(1), complementOfTangent(a, x));
  Value small = isDouble(a) ? nearZero(a, x, tanhTailOfDouble) : nearZero(a, x, tanhTailOfSingle);
  return a.copySign(a.select(a.compare(Predicate::OLT, x, 0.625), small, large), op.getOperand());
}

template <typename Op>
void add(RewritePatternSet &patterns, const TargetFunctions *target, Value (*expand)(const Arithmetic &, Op)) {
  patterns.add<ExpandSingle<Op>, ExpandDouble<Op>>(patterns.getContext(), target, expand);
}

} // namespace

void functions::populateHyperbolic(RewritePatternSet &patterns, const TargetFunctions *target) {
  add(patterns, target, hyperbolicSine);
  add(patterns, target, hyperbolicCosine);
  add(patterns, target, hyperbolicTangent);
}
