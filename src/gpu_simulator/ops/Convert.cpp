// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types, and the same bits under another type.
#include "gpu_simulator/ops/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileaa/ir/Tileaa.h"
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

using X = const Operands &;

Bits fromInteger(Bits bits, Element from, bool isSigned, const FloatFormat &to, interpreter::Rounding mode) {
  int64_t number = signExtend(bits, from);
  bool isNegative = isSigned && number < 0;
  uint64_t magnitude = isNegative ? -static_cast<uint64_t>(number) : bits;
  return magnitude ? to.encode(interpreter::Exact{isNegative, magnitude, 0}, mode) : to.getZero(false);
}

// Towards zero; what an integer cannot hold is the nearest it can.
Bits toInteger(double value, unsigned width, bool isSigned, Bits ofNaN) {
  unsigned used = isSigned ? width - 1 : width;
  double end = std::ldexp(1.0, used);
  if (std::isnan(value))
    return ofNaN;
  if (value >= end)
    return llvm::maskTrailingOnes<Bits>(used);
  double integer = std::trunc(value);
  if (integer <= (isSigned ? -end : 0))
    return isSigned ? Bits(1) << used : 0;
  return integer < 0 ? -static_cast<Bits>(-integer) : static_cast<Bits>(integer);
}

template <typename Op> void onToInteger(HandlerTable &table, bool isSigned) {
  table.on<Op>([isSigned](Op op, Actor &actor) {
    Operands x(op, actor);
    const FloatFormat &format = formatOf(x.element(0));
    unsigned width = bitWidth(elementOfType(op.getType()));
    setElements(actor, op.getResult(), x, [&](int64_t i) {
      return toInteger(format.decode(x(0, i)), width, isSigned, isSigned ? Bits(1) << (width - 1) : 0);
    });
  });
}
template <typename Op> void onFromInteger(HandlerTable &table, bool isSigned) {
  table.on<Op>([isSigned](Op op, Actor &actor) {
    Operands x(op, actor);
    const FloatFormat &format = formatOf(elementOfType(op.getType()));
    setElements(actor, op.getResult(), x, [&](int64_t i) {
      return fromInteger(x(0, i), x.element(0), isSigned, format, interpreter::Rounding::NearestEven);
    });
  });
}
template <typename Op> void onFloatToFloat(HandlerTable &table) {
  table.on<Op>([](Op op, Actor &actor) {
    Operands x(op, actor);
    const FloatFormat &from = formatOf(x.element(0)), &to = formatOf(elementOfType(op.getType()));
    auto mode = interpreter::Rounding::NearestEven;
    if constexpr (std::is_same_v<Op, arith::TruncFOp>)
      if (auto asked = op.getRoundingmode())
        mode = *asked == arith::RoundingMode::toward_zero       ? interpreter::Rounding::Zero
               : *asked == arith::RoundingMode::downward        ? interpreter::Rounding::NegativeInf
               : *asked == arith::RoundingMode::upward          ? interpreter::Rounding::PositiveInf
               : *asked == arith::RoundingMode::to_nearest_away ? interpreter::Rounding::NearestAway
                                                                : mode;
    setElements(actor, op.getResult(), x, [&](int64_t i) { return to.encode(from.decode(x(0, i)), mode); });
  });
}

void convert(tileaa::ConvertOp op, Actor &actor) {
  Operands x(op, actor);
  Element from = elementOfType(op.getFrom()), to = elementOfType(op.getTo());
  auto mode = op.getRounding() == tileaa::Rounding::Zero          ? interpreter::Rounding::Zero
              : op.getRounding() == tileaa::Rounding::NegativeInf ? interpreter::Rounding::NegativeInf
              : op.getRounding() == tileaa::Rounding::PositiveInf ? interpreter::Rounding::PositiveInf
              : op.getRounding() == tileaa::Rounding::NearestAway ? interpreter::Rounding::NearestAway
                                                                  : interpreter::Rounding::NearestEven;
  bool isSigned = !op.getIsUnsigned();
  setElements(actor, op.getResult(), x, [&](int64_t i) -> Bits {
    Bits bits = truncate(x(0, i), from);
    if (interpreter::isFloat(from) && interpreter::isFloat(to))
      return formatOf(to).encode(formatOf(from).decode(bits), mode);
    if (interpreter::isFloat(to))
      return fromInteger(bits, from, isSigned, formatOf(to), mode);
    double value = formatOf(from).decode(bits);
    unsigned width = bitWidth(to);
    if (width == 1)
      return value != 0;
    return toInteger(value, width, isSigned, isSigned && !op.getSaturate() ? Bits(1) << (width - 1) : 0);
  });
}

} // namespace

void simulator::registerConvertOps(HandlerTable &table) {
  onElements<arith::ExtSIOp>(table, [](X x, int64_t i) { return Bits(x.integer(0, i)); });
  onElements<arith::ExtUIOp>(table, [](X x, int64_t i) { return x(0, i); });
  onElements<arith::TruncIOp>(table, [](X x, int64_t i) { return x(0, i); });
  onElements<arith::IndexCastOp>(table, [](X x, int64_t i) { return Bits(x.integer(0, i)); });
  onElements<arith::IndexCastUIOp>(table, [](X x, int64_t i) { return x(0, i); });
  onElements<arith::BitcastOp>(table, [](X x, int64_t i) { return x(0, i); });
  onToInteger<arith::FPToSIOp>(table, /*isSigned=*/true);
  onToInteger<arith::FPToUIOp>(table, /*isSigned=*/false);
  onFromInteger<arith::SIToFPOp>(table, /*isSigned=*/true);
  onFromInteger<arith::UIToFPOp>(table, /*isSigned=*/false);
  onFloatToFloat<arith::ExtFOp>(table);
  onFloatToFloat<arith::TruncFOp>(table);
  table.on<tileaa::ConvertOp>(convert);
}
