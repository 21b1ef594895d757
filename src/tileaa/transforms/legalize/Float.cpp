// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic that rounds otherwise than the hardware, on hardware that rounds to nearest.
//
// Of floats up to f32 the exact result is computed in a wider type as a sum of two, `sum` and a `rest` of which only
// the sign counts. The sum with its last bit set where there is a rest ("round to odd") is as good as the exact result
// for whatever rounding to a narrower type follows. f64 has no wider type: WideFloat.cpp.
#include "tileaa/transforms/legalize/WideFloat.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::legalize;
using tileaa::FloatKind;
using tileaa::Rounding;

static Expr flush(const Expr &x) {
  llvm::APFloat smallest = llvm::APFloat::getSmallestNormalized(cast<FloatType>(x.element()).getFloatSemantics());
  Expr zero = (x.bits() & (uint64_t(1) << (x.width() - 1))).as(x.element());
  return select(x.abs() < x.real(smallest), zero, x);
}

//===-- rounding ----------------------------------------------------------===//

TwoSum legalize::addExactly(const Expr &a, const Expr &b) {
  Expr sum = a + b;
  Expr bPart = sum - a, aPart = sum - bPart;
  return {sum, (a - aPart) + (b - bPart)};
}

/// The exact result of a function; infinities and NaN have a rest that is NaN.
static TwoSum computeExactly(FloatKind kind, ArrayRef<Expr> x) {
  switch (kind) {
  case FloatKind::Add:
    return addExactly(x[0], x[1]);
  case FloatKind::Sub:
    return addExactly(x[0], -x[1]);
  case FloatKind::Mul:
    return {x[0] * x[1], x[0].real(0.0)};
  case FloatKind::Fma:
    return addExactly(x[0] * x[1], x[2]);
  case FloatKind::Sqrt: {
    Expr root = x[0].make<math::SqrtOp>(x[0]);
    return {root, fma(-root, root, x[0])};
  }
  default: {
    assert(kind == FloatKind::Div);
    // The remainder of the division has the sign of the quotient's error, or the opposite one if the divisor is
    // negative.
    Expr quotient = x[0] / x[1];
    Expr rest = fma(-quotient, x[1], x[0]);
    return {quotient, (rest.bits() ^ (x[1].bits() & (uint64_t(1) << (x[1].width() - 1)))).as(x[1].element())};
  }
  }
}

static Expr roundToOdd(const TwoSum &exact) {
  Expr bits = exact.sum.bits();
  Expr isEven = (bits & 1) == 0;
  Expr isInexact = (exact.rest < 0) | (exact.rest > 0);
  // One more in magnitude where the rest has the sign of the sum.
  Expr sameSign = (bits ^ exact.rest.bits()).isNegative();
  Expr next = select(sameSign, bits - 1, bits + 1);
  return select(isEven & isInexact, next, bits).as(exact.sum.element());
}

static Expr computeRounded(FloatKind kind, SmallVector<Expr> x, Rounding rounding) {
  // A sum of opposite numbers is +0, but -0 where it rounds downwards: the negated sum of the negated numbers, upwards.
  if (rounding == Rounding::NegativeInf &&
      (kind == FloatKind::Add || kind == FloatKind::Sub || kind == FloatKind::Fma)) {
    x[0] = -x[0];
    x.back() = -x.back();
    return -computeRounded(kind, x, Rounding::PositiveInf);
  }
  Type element = x[0].element();
  if (element.isF64())
    return computeWide(kind, x, rounding);
  // Products of f16 are exact in f32; those of bf16, which has f32's exponents, are not.
  MLIRContext *context = element.getContext();
  FloatType wide = element.isF16() ? FloatType(Float32Type::get(context)) : FloatType(Float64Type::get(context));
  for (Expr &operand : x)
    operand = element.isBF16() ? operand.inFloat(Float32Type::get(context)).inFloat(wide) : operand.inFloat(wide);
  return writeFloat(roundToOdd(computeExactly(kind, x)), element, rounding);
}

//===-- the larger and the smaller ----------------------------------------===//

/// The number that all elements of a value are, if that is known.
static std::optional<APFloat> getConstant(Value value) {
  // In a loop's body a constant is a scalar that is broadcast.
  if (Operation *op = value.getDefiningOp(); op && op->getName().getStringRef() == "vector.broadcast")
    value = op->getOperand(0);
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValue();
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return splat.getSplatValue<APFloat>();
  return std::nullopt;
}

/// -0 < +0. Two equal numbers differ at most in the sign of zeros, so that the larger is what both have set.
static Expr computeExtremum(FloatKind kind, Expr a, Expr b) {
  bool isLarger = kind == FloatKind::Max || kind == FloatKind::Maximum;
  bool ignoresNaN = kind == FloatKind::Max || kind == FloatKind::Min;
  if (getConstant(a))
    std::swap(a, b);
  // Next to a number that is no zero, or the zero that wins, a comparison says all: it is false of NaN.
  std::optional<APFloat> number = getConstant(b);
  if (ignoresNaN && number && !number->isNaN() && (!number->isZero() || number->isNegative() != isLarger))
    return select(isLarger ? a > b : a < b, a, b);
  Expr ofEqual = (isLarger ? a.bits() & b.bits() : a.bits() | b.bits()).as(a.element());
  Expr result = select(a == b, ofEqual, select(isLarger ? a > b : a < b, a, b));
  return ignoresNaN ? select(b.isNaN(), a, result) : select(a.isNaN(), a, result);
}

//===-- all ---------------------------------------------------------------===//

static Expr compute(FloatKind kind, const SmallVector<Expr> &x, Rounding rounding) {
  switch (kind) {
  case FloatKind::Max:
  case FloatKind::Min:
  case FloatKind::Maximum:
  case FloatKind::Minimum:
    return computeExtremum(kind, x[0], x[1]);
  case FloatKind::Exp2:
    return x[0].make<math::Exp2Op>(x[0]);
  case FloatKind::Rsqrt:
    return x[0].make<math::RsqrtOp>(x[0]);
  default:
    break;
  }
  // A narrow fma rounded twice is wrong; the others of two narrow numbers are not.
  Type element = x[0].element();
  if (rounding != Rounding::NearestEven || (kind == FloatKind::Fma && element.getIntOrFloatBitWidth() < 32))
    return computeRounded(kind, x, rounding);
  switch (kind) {
  case FloatKind::Add:
    return x[0] + x[1];
  case FloatKind::Sub:
    return x[0] - x[1];
  case FloatKind::Mul:
    return x[0] * x[1];
  case FloatKind::Div:
    return x[0] / x[1];
  case FloatKind::Sqrt:
    return x[0].make<math::SqrtOp>(x[0]);
  default:
    return fma(x[0], x[1], x[2]);
  }
}

Expr legalize::legalizeFloat(OpBuilder &builder, tileaa::FloatOp op) {
  SmallVector<Expr> operands;
  for (Value operand : op.getOperands())
    operands.push_back(Expr(builder, op.getLoc(), operand));
  if (!op.getFlush())
    return compute(op.getKind(), operands, op.getRounding());
  for (Expr &operand : operands)
    operand = flush(operand);
  return flush(compute(op.getKind(), operands, op.getRounding()));
}
