// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions: the C library's of the next wider type, rounded once. Of f16, bf16 and f32 the result is the
// nearest number but in one case of some hundred million; of f64, in one of some thousand.
#include "interpreter/FloatFormat.h"
#include "interpreter/ops/Elementwise.h"
#include <cmath>

using namespace tilewright::cuda_tile;
using llvm::Error;

namespace tilewright::interpreter {

/// `function` is called with doubles, or long doubles where the operands are doubles. It flushes operands and results
/// if `flushes`.
template <typename Op, typename Function>
static Error unary(Op op, Context &context, Function function, bool flushes = false) {
  const Tile &source = context.tile(op.getSource());
  const FloatFormat &format = formatOf(source.element);
  if (source.element == Element::F64) {
    return setElements(context, op.getResult(), [&](int64_t i) {
      return format.encode(static_cast<double>(function(static_cast<long double>(format.decode(source.bits[i])))));
    });
  }
  auto flush = [&](Bits bits) {
    return flushes && format.isSubnormal(bits) ? format.getZero(bits >> *format.signBit & 1) : bits;
  };
  return setElements(context, op.getResult(),
                     [&](int64_t i) { return flush(format.encode(function(format.decode(flush(source.bits[i]))))); });
}

template <typename Op, typename Function> static Error binary(Op op, Context &context, Function function) {
  const Tile &lhs = context.tile(op->getOperand(0)), &rhs = context.tile(op->getOperand(1));
  const FloatFormat &format = formatOf(lhs.element);
  if (lhs.element == Element::F64) {
    return setElements(context, op.getResult(), [&](int64_t i) {
      long double x = format.decode(lhs.bits[i]), y = format.decode(rhs.bits[i]);
      return format.encode(static_cast<double>(function(x, y)));
    });
  }
  return setElements(context, op.getResult(), [&](int64_t i) {
    return format.encode(function(format.decode(lhs.bits[i]), format.decode(rhs.bits[i])));
  });
}

static Error handleCeil(CeilOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::ceil(x); });
}
static Error handleFloor(FloorOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::floor(x); });
}
static Error handleCos(CosOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::cos(x); });
}
static Error handleCosH(CosHOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::cosh(x); });
}
static Error handleSin(SinOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::sin(x); });
}
static Error handleSinH(SinHOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::sinh(x); });
}
static Error handleTan(TanOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::tan(x); });
}
static Error handleTanH(TanHOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::tanh(x); });
}
static Error handleExp(ExpOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::exp(x); });
}
static Error handleLog(LogOp op, Context &context) {
  return unary(op, context, [](auto x) { return std::log(x); });
}
static Error handleLog2(Log2Op op, Context &context) {
  return unary(op, context, [](auto x) { return std::log2(x); });
}
static Error handleExp2(Exp2Op op, Context &context) {
  return unary(op, context, [](auto x) { return std::exp2(x); }, op.getFlushToZero());
}
static Error handleRsqrt(RsqrtOp op, Context &context) {
  return unary(op, context, [](auto x) { return 1 / std::sqrt(x); }, op.getFlushToZero());
}

static Error handleAtan2(Atan2Op op, Context &context) {
  return binary(op, context, [](auto x, auto y) { return std::atan2(x, y); });
}
static Error handleFPowF(FPowFOp op, Context &context) {
  return binary(op, context, [](auto x, auto y) { return std::pow(x, y); });
}

/// An exponent of 32 bits is a double, and the power by it the same.
static Error handleFPowI(FPowIOp op, Context &context) {
  const Tile &source = context.tile(op.getSource()), &exponent = context.tile(op.getExponent());
  const FloatFormat &format = formatOf(source.element);
  bool isDouble = source.element == Element::F64;
  return setElements(context, op.getResult(), [&](int64_t i) {
    double x = format.decode(source.bits[i]);
    auto y = static_cast<double>(signExtend(exponent.bits[i], exponent.element));
    return format.encode(isDouble ? static_cast<double>(std::pow(static_cast<long double>(x), y)) : std::pow(x, y));
  });
}

void registerMathOps(HandlerTable &table) {
  table.add<handleCeil>();
  table.add<handleFloor>();
  table.add<handleCos>();
  table.add<handleCosH>();
  table.add<handleSin>();
  table.add<handleSinH>();
  table.add<handleTan>();
  table.add<handleTanH>();
  table.add<handleExp>();
  table.add<handleLog>();
  table.add<handleLog2>();
  table.add<handleExp2>();
  table.add<handleRsqrt>();
  table.add<handleAtan2>();
  table.add<handleFPowF>();
  table.add<handleFPowI>();
}

} // namespace tilewright::interpreter
