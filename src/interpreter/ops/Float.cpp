// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of floats: exact, then rounded once. `approx` and `full` are rounded to nearest even here.
#include "interpreter/FloatFormat.h"
#include "interpreter/ops/Elementwise.h"
#include "interpreter/ops/RoundToOdd.h"
#include "llvm/ADT/APFloat.h"

using namespace tilewright::cuda_tile;
using llvm::APFloat;
using llvm::Error;

#pragma clang fp contract(off)

namespace tilewright::interpreter {

//===- Rounded arithmetic ---------------------------------------------------------------===//

static llvm::RoundingMode getMode(Rounding mode) {
  switch (mode) {
  case Rounding::Zero:
    return APFloat::rmTowardZero;
  case Rounding::NegativeInf:
    return APFloat::rmTowardNegative;
  case Rounding::PositiveInf:
    return APFloat::rmTowardPositive;
  default:
    return APFloat::rmNearestTiesToEven;
  }
}

/// The square root of a double: the nearest one, or its neighbour if it lies on the wrong side of the exact root.
static double squareRoot(double value, Rounding mode) {
  double root = std::sqrt(value);
  if (mode == Rounding::NearestEven || !std::isfinite(root) || root == 0) {
    return root;
  }
  // The rest of a tiny root would be below all doubles; of all roots it has the same sign when scaled.
  double scale = value < 0x1p-500 ? 0x1p300 : 1;
  double rest = std::fma(-(root * scale), root * scale, value * scale * scale);
  if (mode == Rounding::PositiveInf) {
    return rest > 0 ? std::nextafter(root, std::numeric_limits<double>::infinity()) : root;
  }
  return rest < 0 ? std::nextafter(root, 0) : root;
}

namespace {

// Each operation for doubles, to nearest as the processor does it and else by APFloat; and for narrower types, where a
// double can hold enough of the exact result.
struct Add {
  static double nearest(const double *x) { return x[0] + x[1]; }
  static void apply(APFloat *x, llvm::RoundingMode mode) { x[0].add(x[1], mode); }
  static double toOdd(const double *x) { return addToOdd(x[0], x[1]); }
};
struct Subtract {
  static double nearest(const double *x) { return x[0] - x[1]; }
  static void apply(APFloat *x, llvm::RoundingMode mode) { x[0].subtract(x[1], mode); }
  static double toOdd(const double *x) { return addToOdd(x[0], -x[1]); }
};
struct Multiply {
  static double nearest(const double *x) { return x[0] * x[1]; }
  static void apply(APFloat *x, llvm::RoundingMode mode) { x[0].multiply(x[1], mode); }
  static double toOdd(const double *x) { return x[0] * x[1]; }
};
struct Divide {
  static double nearest(const double *x) { return x[0] / x[1]; }
  static void apply(APFloat *x, llvm::RoundingMode mode) { x[0].divide(x[1], mode); }
  static double toOdd(const double *x) { return divideToOdd(x[0], x[1]); }
};
struct MultiplyAdd {
  static double nearest(const double *x) { return std::fma(x[0], x[1], x[2]); }
  static void apply(APFloat *x, llvm::RoundingMode mode) { x[0].fusedMultiplyAdd(x[1], x[2], mode); }
  static double toOdd(const double *x) { return addToOdd(x[0] * x[1], x[2]); }
};

} // namespace

/// The operand with a zero of its sign in place of a subnormal number.
static Bits flush(const FloatFormat &format, Bits bits) {
  return format.isSubnormal(bits) ? format.getZero(bits >> *format.signBit & 1) : bits;
}

/// A sum of numbers of opposite sign that is exactly zero is negative when rounding down. In double it came out
/// positive.
template <typename Function> static bool isSumOfOpposites(const double *x) {
  if constexpr (std::is_same_v<Function, Add>) {
    return std::signbit(x[0]) != std::signbit(x[1]);
  } else if constexpr (std::is_same_v<Function, Subtract>) {
    return std::signbit(x[0]) == std::signbit(x[1]);
  } else if constexpr (std::is_same_v<Function, MultiplyAdd>) {
    return std::signbit(x[0] * x[1]) != std::signbit(x[2]);
  }
  return false;
}

template <typename Function, unsigned count, typename Op> static Error rounded(Op op, Context &context) {
  const Tile *operands[count];
  for (unsigned i = 0; i < count; ++i) {
    operands[i] = &context.tile(op->getOperand(i));
  }
  const FloatFormat &format = formatOf(operands[0]->element);
  Rounding mode = op.getRoundingMode();
  bool flushes = op.getFlushToZero(), isDouble = operands[0]->element == Element::F64;
  auto read = [&](int64_t i, double *x) {
    for (unsigned k = 0; k < count; ++k) {
      Bits bits = operands[k]->bits[i];
      x[k] = format.decode(flushes ? flush(format, bits) : bits);
    }
  };
  if (isDouble && mode == Rounding::NearestEven) {
    return setElements(context, op.getResult(), [&](int64_t i) {
      double x[count];
      read(i, x);
      return format.encode(Function::nearest(x));
    });
  }
  if (isDouble) {
    llvm::RoundingMode theirs = getMode(mode);
    return setElements(context, op.getResult(), [&](int64_t i) {
      double x[count];
      read(i, x);
      llvm::SmallVector<APFloat, 3> exact;
      for (double operand : x) {
        exact.emplace_back(operand);
      }
      Function::apply(exact.data(), theirs);
      return format.encode(exact[0].convertToDouble());
    });
  }
  return setElements(context, op.getResult(), [&](int64_t i) {
    double x[count];
    read(i, x);
    double result = Function::toOdd(x);
    if (result == 0 && mode == Rounding::NegativeInf && isSumOfOpposites<Function>(x)) {
      result = -0.0;
    }
    Bits bits = format.encode(result, mode);
    return flushes ? flush(format, bits) : bits;
  });
}

static Error handleAddF(AddFOp op, Context &context) {
  return rounded<Add, 2>(op, context);
}
static Error handleSubF(SubFOp op, Context &context) {
  return rounded<Subtract, 2>(op, context);
}
static Error handleMulF(MulFOp op, Context &context) {
  return rounded<Multiply, 2>(op, context);
}
static Error handleDivF(DivFOp op, Context &context) {
  return rounded<Divide, 2>(op, context);
}
static Error handleFma(FmaOp op, Context &context) {
  return rounded<MultiplyAdd, 3>(op, context);
}

static Error handleSqrt(SqrtOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  const FloatFormat &format = formatOf(source.element);
  Rounding mode = op.getRoundingMode();
  if (source.element == Element::F64) {
    return setElements(context, op.getResult(),
                       [&](int64_t i) { return format.encode(squareRoot(format.decode(source.bits[i]), mode)); });
  }
  bool flushes = op.getFlushToZero();
  return setElements(context, op.getResult(), [&](int64_t i) {
    Bits bits = flushes ? flush(format, source.bits[i]) : source.bits[i];
    return format.encode(squareRootToOdd(format.decode(bits)), mode);
  });
}

/// Truncated division has an exact remainder, which the operands' type holds.
static Error handleRemF(RemFOp op, Context &context) {
  const Tile &lhs = context.tile(op.getLhs()), &rhs = context.tile(op.getRhs());
  const FloatFormat &format = formatOf(lhs.element);
  return setElements(context, op.getResult(), [&](int64_t i) {
    return format.encode(std::fmod(format.decode(lhs.bits[i]), format.decode(rhs.bits[i])));
  });
}

//===- Signs ----------------------------------------------------------------------------===//

static Error handleNegF(NegFOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  Bits sign = Bits(1) << *formatOf(source.element).signBit;
  return setElements(context, op.getResult(), [&](int64_t i) { return source.bits[i] ^ sign; });
}
static Error handleAbsF(AbsFOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  Bits sign = Bits(1) << *formatOf(source.element).signBit;
  return setElements(context, op.getResult(), [&](int64_t i) { return source.bits[i] & ~sign; });
}

//===- Choice and comparison ------------------------------------------------------------===//

/// The operand that `prefersLhs` picks; zeros are ordered by sign. A NaN is the result if it propagates, else ignored.
template <typename Op, typename Function> static Error choose(Op op, Context &context, Function prefersLhs) {
  const Tile &lhs = context.tile(op.getLhs()), &rhs = context.tile(op.getRhs());
  const FloatFormat &format = formatOf(lhs.element);
  bool flushes = op.getFlushToZero(), propagates = op.getPropagateNan();
  return setElements(context, op.getResult(), [&](int64_t i) {
    Bits left = lhs.bits[i], right = rhs.bits[i];
    if (flushes) {
      left = flush(format, left);
      right = flush(format, right);
    }
    bool isLeftNaN = format.isNaN(left), isRightNaN = format.isNaN(right);
    if (isLeftNaN || isRightNaN) {
      return propagates || (isLeftNaN && isRightNaN) ? format.getNaN() : isLeftNaN ? right : left;
    }
    double x = format.decode(left), y = format.decode(right);
    bool isLeft = x == y ? prefersLhs(std::signbit(y), std::signbit(x)) : prefersLhs(x, y);
    return isLeft ? left : right;
  });
}

static Error handleMaxF(MaxFOp op, Context &context) {
  return choose(op, context, [](auto lhs, auto rhs) { return lhs > rhs; });
}
static Error handleMinF(MinFOp op, Context &context) {
  return choose(op, context, [](auto lhs, auto rhs) { return lhs < rhs; });
}

static Error handleCmpF(CmpFOp op, Context &context) {
  const Tile &lhs = context.tile(op.getLhs()), &rhs = context.tile(op.getRhs());
  const FloatFormat &format = formatOf(lhs.element);
  bool ofNaN = op.getComparisonOrdering() == ComparisonOrdering::Unordered;
  return withComparison(op.getComparisonPredicate(), [&](auto holds) {
    return setElements(context, op.getResult(), [&](int64_t i) {
      double x = format.decode(lhs.bits[i]), y = format.decode(rhs.bits[i]);
      return Bits(std::isunordered(x, y) ? ofNaN : holds(x, y));
    });
  });
}

void registerFloatOps(HandlerTable &table) {
  table.add<handleAddF>();
  table.add<handleSubF>();
  table.add<handleMulF>();
  table.add<handleDivF>();
  table.add<handleFma>();
  table.add<handleSqrt>();
  table.add<handleRemF>();
  table.add<handleNegF>();
  table.add<handleAbsF>();
  table.add<handleMaxF>();
  table.add<handleMinF>();
  table.add<handleCmpF>();
}

} // namespace tilewright::interpreter
