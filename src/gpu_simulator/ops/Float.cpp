// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of floats: f32 and f64 as the processor does it, narrower types exactly and rounded once.
#include "gpu_simulator/ops/Elements.h"
#include "interpreter/ops/RoundToOdd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileaa/ir/Tileaa.h"
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using namespace tilewright::interpreter;

#pragma clang fp contract(off)

namespace {

using X = const simulator::Operands &;

template <unsigned count, typename Function> Bits compute(X x, int64_t i, Element element, Function function) {
  if (element == Element::F32) {
    float numbers[count];
    for (unsigned k = 0; k != count; ++k)
      numbers[k] = llvm::bit_cast<float>(static_cast<uint32_t>(x(k, i)));
    return llvm::bit_cast<uint32_t>(static_cast<float>(function(numbers)));
  }
  double numbers[count];
  const FloatFormat &format = formatOf(element);
  for (unsigned k = 0; k != count; ++k)
    numbers[k] = format.decode(x(k, i));
  return format.encode(function(numbers));
}

// A function of processor's numbers, whose result in double is good enough to be rounded once more, or that has another
// form `odd` for that.
template <typename Op, unsigned count, typename Function> void onFloats(HandlerTable &table, Function function) {
  onElements<Op>(table, [function](X x, int64_t i) { return compute<count>(x, i, x.element(0), function); });
}
template <typename Op, unsigned count, typename Function, typename Odd>
void onFloats(HandlerTable &table, Function function, Odd odd) {
  onElements<Op>(table, [function, odd](X x, int64_t i) {
    Element element = x.element(0);
    if (element == Element::F32 || element == Element::F64)
      return compute<count>(x, i, element, function);
    return compute<count>(x, i, element, odd);
  });
}

// The C library's function of the next wider type.
template <typename Op, typename Function> void onFunction(HandlerTable &table, Function function) {
  onElements<Op>(table, [function](X x, int64_t i) {
    const FloatFormat &format = formatOf(x.element(0));
    double number = format.decode(x(0, i));
    if (x.element(0) == Element::F64)
      return format.encode(static_cast<double>(function(static_cast<long double>(number))));
    return format.encode(function(number));
  });
}
template <typename Op, typename Function> void onFunctionOfTwo(HandlerTable &table, Function function) {
  onElements<Op>(table, [function](X x, int64_t i) {
    const FloatFormat &format = formatOf(x.element(0));
    double a = format.decode(x(0, i));
    double b = isFloat(x.element(1)) ? formatOf(x.element(1)).decode(x(1, i)) : double(x.integer(1, i));
    if (x.element(0) == Element::F64)
      return format.encode(static_cast<double>(function(static_cast<long double>(a), static_cast<long double>(b))));
    return format.encode(function(a, b));
  });
}

// Zeros are ordered by sign.
Bits pick(const FloatFormat &format, Bits a, Bits b, bool larger, bool propagatesNaN) {
  bool isNaN = format.isNaN(a), isOtherNaN = format.isNaN(b);
  if (isNaN || isOtherNaN)
    return propagatesNaN || (isNaN && isOtherNaN) ? format.getNaN() : isNaN ? b : a;
  double x = format.decode(a), y = format.decode(b);
  bool isLess = x == y ? std::signbit(x) && !std::signbit(y) : x < y;
  return isLess == larger ? b : a;
}
template <typename Op> void onPick(HandlerTable &table, bool larger, bool propagatesNaN) {
  onElements<Op>(table,
                 [=](X x, int64_t i) { return pick(formatOf(x.element(0)), x(0, i), x(1, i), larger, propagatesNaN); });
}

bool compares(arith::CmpFPredicate predicate, double a, double b) {
  // Of numbers: equal 1, greater 2, less 4, as the ordered predicates are numbered; and 8 for no order. The unordered
  // ones are greater by 7.
  auto number = static_cast<unsigned>(predicate);
  unsigned wanted = predicate == arith::CmpFPredicate::UNO          ? 8
                    : predicate == arith::CmpFPredicate::AlwaysTrue ? 15
                    : number > 7                                    ? (number - 7) | 8
                                                                    : number;
  unsigned is = std::isunordered(a, b) ? 8 : a == b ? 1 : a > b ? 2 : 4;
  return wanted & is;
}

//===-- tileaa.float ------------------------------------------------------===//

Rounding roundingOf(tileaa::Rounding rounding) {
  switch (rounding) {
  case tileaa::Rounding::NearestEven:
    return Rounding::NearestEven;
  case tileaa::Rounding::Zero:
    return Rounding::Zero;
  case tileaa::Rounding::NegativeInf:
    return Rounding::NegativeInf;
  case tileaa::Rounding::PositiveInf:
    return Rounding::PositiveInf;
  case tileaa::Rounding::NearestAway:
    return Rounding::NearestAway;
  }
  llvm_unreachable("all modes are listed");
}

llvm::RoundingMode theirMode(Rounding mode) {
  return mode == Rounding::Zero          ? llvm::APFloat::rmTowardZero
         : mode == Rounding::NegativeInf ? llvm::APFloat::rmTowardNegative
         : mode == Rounding::PositiveInf ? llvm::APFloat::rmTowardPositive
                                         : llvm::APFloat::rmNearestTiesToEven;
}

// The sign of the remainder of the nearest root, which is exact, is the side of it on which the root is.
double roundedRoot(double x, Rounding mode) {
  double root = std::sqrt(x);
  if (!std::isfinite(root) || root == 0)
    return root;
  double scaled = std::ldexp(root, -std::ilogb(root));
  double remainder = std::fma(-scaled, scaled, std::ldexp(x, -2 * std::ilogb(root)));
  if (mode == Rounding::PositiveInf && remainder > 0)
    return std::nextafter(root, HUGE_VAL);
  if ((mode == Rounding::Zero || mode == Rounding::NegativeInf) && remainder < 0)
    return std::nextafter(root, 0);
  return root;
}

// Of f64, exactly and rounded once.
double roundedDouble(tileaa::FloatKind kind, const double *x, Rounding mode) {
  llvm::APFloat result(x[0]), second(x[1]);
  switch (kind) {
  case tileaa::FloatKind::Add:
    result.add(second, theirMode(mode));
    break;
  case tileaa::FloatKind::Sub:
    result.subtract(second, theirMode(mode));
    break;
  case tileaa::FloatKind::Mul:
    result.multiply(second, theirMode(mode));
    break;
  case tileaa::FloatKind::Div:
    result.divide(second, theirMode(mode));
    break;
  case tileaa::FloatKind::Fma:
    result.fusedMultiplyAdd(second, llvm::APFloat(x[2]), theirMode(mode));
    break;
  default:
    return roundedRoot(x[0], mode);
  }
  return result.convertToDouble();
}

// Of narrower types, for any rounding.
double toOdd(tileaa::FloatKind kind, const double *x) {
  switch (kind) {
  case tileaa::FloatKind::Add:
    return addToOdd(x[0], x[1]);
  case tileaa::FloatKind::Sub:
    return addToOdd(x[0], -x[1]);
  case tileaa::FloatKind::Mul:
    return x[0] * x[1];
  case tileaa::FloatKind::Div:
    return divideToOdd(x[0], x[1]);
  case tileaa::FloatKind::Fma:
    return addToOdd(x[0] * x[1], x[2]);
  case tileaa::FloatKind::Sqrt:
    return squareRootToOdd(x[0]);
  case tileaa::FloatKind::Rsqrt:
    return 1 / std::sqrt(x[0]);
  case tileaa::FloatKind::Exp2:
    return std::exp2(x[0]);
  default:
    llvm_unreachable("picks do not round");
  }
}

bool isSumOfOpposites(tileaa::FloatKind kind, const double *x) {
  switch (kind) {
  case tileaa::FloatKind::Add:
    return std::signbit(x[0]) != std::signbit(x[1]);
  case tileaa::FloatKind::Sub:
    return std::signbit(x[0]) == std::signbit(x[1]);
  case tileaa::FloatKind::Fma:
    return std::signbit(x[0] * x[1]) != std::signbit(x[2]);
  default:
    return false;
  }
}

void floatOp(tileaa::FloatOp op, Actor &actor) {
  simulator::Operands x(op, actor);
  Element element = x.element(0);
  const FloatFormat &format = formatOf(element);
  tileaa::FloatKind kind = op.getKind();
  Rounding mode = roundingOf(op.getRounding());
  bool flushes = op.getFlush();
  auto flush = [&](Bits bits) {
    return flushes && format.isSubnormal(bits) ? format.getZero(bits >> *format.signBit & 1) : bits;
  };
  using Kind = tileaa::FloatKind;
  bool isMax = kind == Kind::Max || kind == Kind::Maximum;
  if (isMax || kind == Kind::Min || kind == Kind::Minimum) {
    bool propagates = kind == Kind::Maximum || kind == Kind::Minimum;
    simulator::setElements(actor, op.getResult(), x,
                           [&](int64_t i) { return pick(format, flush(x(0, i)), flush(x(1, i)), isMax, propagates); });
    return;
  }
  bool isArithmetic = kind != Kind::Rsqrt && kind != Kind::Exp2;
  simulator::setElements(actor, op.getResult(), x, [&](int64_t i) {
    double numbers[3] = {0, 0, 0};
    for (unsigned k = 0; k != x.tiles.size(); ++k)
      numbers[k] = format.decode(flush(x(k, i)));
    if (element == Element::F64 && isArithmetic)
      return flush(format.encode(roundedDouble(kind, numbers, mode)));
    double result = toOdd(kind, numbers);
    if (result == 0 && mode == Rounding::NegativeInf && isSumOfOpposites(kind, numbers))
      result = -0.0;
    return flush(format.encode(result, mode));
  });
}

} // namespace

void simulator::registerFloatOps(HandlerTable &table) {
  onFloats<arith::AddFOp, 2>(
      table, [](auto *x) { return x[0] + x[1]; }, [](auto *x) -> double { return addToOdd(x[0], x[1]); });
  onFloats<arith::SubFOp, 2>(
      table, [](auto *x) { return x[0] - x[1]; }, [](auto *x) -> double { return addToOdd(x[0], -x[1]); });
  onFloats<arith::MulFOp, 2>(table, [](auto *x) { return x[0] * x[1]; });
  onFloats<arith::DivFOp, 2>(
      table, [](auto *x) { return x[0] / x[1]; }, [](auto *x) -> double { return divideToOdd(x[0], x[1]); });
  onFloats<arith::RemFOp, 2>(table, [](auto *x) { return std::fmod(x[0], x[1]); });
  onFloats<math::FmaOp, 3>(
      table, [](auto *x) { return std::fma(x[0], x[1], x[2]); },
      [](auto *x) -> double { return addToOdd(x[0] * x[1], x[2]); });
  onFloats<math::SqrtOp, 1>(
      table, [](auto *x) { return std::sqrt(x[0]); }, [](auto *x) -> double { return squareRootToOdd(x[0]); });
  onFloats<math::FloorOp, 1>(table, [](auto *x) { return std::floor(x[0]); });
  onFloats<math::CeilOp, 1>(table, [](auto *x) { return std::ceil(x[0]); });
  onFloats<math::TruncOp, 1>(table, [](auto *x) { return std::trunc(x[0]); });
  onFloats<math::RoundOp, 1>(table, [](auto *x) { return std::round(x[0]); });
  onFloats<math::RoundEvenOp, 1>(table, [](auto *x) { return std::nearbyint(x[0]); });
  onElements<arith::NegFOp>(table, [](X x, int64_t i) { return x(0, i) ^ Bits(1) << *formatOf(x.element(0)).signBit; });
  onElements<math::AbsFOp>(table,
                           [](X x, int64_t i) { return x(0, i) & ~(Bits(1) << *formatOf(x.element(0)).signBit); });
  onElements<math::CopySignOp>(table, [](X x, int64_t i) {
    Bits sign = Bits(1) << *formatOf(x.element(0)).signBit;
    return (x(0, i) & ~sign) | (x(1, i) & sign);
  });
  onPick<arith::MaxNumFOp>(table, /*larger=*/true, /*propagatesNaN=*/false);
  onPick<arith::MinNumFOp>(table, /*larger=*/false, /*propagatesNaN=*/false);
  onPick<arith::MaximumFOp>(table, /*larger=*/true, /*propagatesNaN=*/true);
  onPick<arith::MinimumFOp>(table, /*larger=*/false, /*propagatesNaN=*/true);
  onFunction<math::ExpOp>(table, [](auto x) { return std::exp(x); });
  onFunction<math::Exp2Op>(table, [](auto x) { return std::exp2(x); });
  onFunction<math::ExpM1Op>(table, [](auto x) { return std::expm1(x); });
  onFunction<math::LogOp>(table, [](auto x) { return std::log(x); });
  onFunction<math::Log2Op>(table, [](auto x) { return std::log2(x); });
  onFunction<math::Log10Op>(table, [](auto x) { return std::log10(x); });
  onFunction<math::Log1pOp>(table, [](auto x) { return std::log1p(x); });
  onFunction<math::SinOp>(table, [](auto x) { return std::sin(x); });
  onFunction<math::CosOp>(table, [](auto x) { return std::cos(x); });
  onFunction<math::TanOp>(table, [](auto x) { return std::tan(x); });
  onFunction<math::SinhOp>(table, [](auto x) { return std::sinh(x); });
  onFunction<math::CoshOp>(table, [](auto x) { return std::cosh(x); });
  onFunction<math::TanhOp>(table, [](auto x) { return std::tanh(x); });
  onFunction<math::RsqrtOp>(table, [](auto x) { return 1 / std::sqrt(x); });
  onFunction<math::ErfOp>(table, [](auto x) { return std::erf(x); });
  onFunctionOfTwo<math::Atan2Op>(table, [](auto x, auto y) { return std::atan2(x, y); });
  onFunctionOfTwo<math::PowFOp>(table, [](auto x, auto y) { return std::pow(x, y); });
  onFunctionOfTwo<math::FPowIOp>(table, [](auto x, auto y) { return std::pow(x, y); });
  table.on<tileaa::FloatOp>(floatOp);
  table.on<arith::CmpFOp>([](arith::CmpFOp op, Actor &actor) {
    simulator::Operands x(op, actor);
    const FloatFormat &format = formatOf(x.element(0));
    simulator::setElements(actor, op.getResult(), x, [&](int64_t i) {
      return Bits(compares(op.getPredicate(), format.decode(x(0, i)), format.decode(x(1, i))));
    });
  });
}
