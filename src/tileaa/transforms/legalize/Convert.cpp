// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between formats, with f32 or f64 in between where that holds every number of the first.
#include "tileaa/transforms/legalize/Formats.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::legalize;
using tileaa::Rounding;

static bool isWider(Type format, Type than) {
  return describe(format).mantissaBits > describe(than).mantissaBits;
}

/// A float that one of its formats holds, an f32 or f64, in another format.
static Expr toFormat(const Expr &number, Type format, Rounding rounding) {
  if (number.element() == format)
    return number;
  // f32's numbers as f64 or tf32's as f32: nothing to round.
  if (!isWider(number.element(), format))
    return number.inFloat(cast<FloatType>(tileaa::storageOf(format)));
  bool isPlain = rounding == Rounding::NearestEven && !number.element().isF64() && (format.isF16() || format.isBF16());
  isPlain |= rounding == Rounding::NearestEven && format.isF32();
  return isPlain ? number.inFloat(cast<FloatType>(format)) : writeFloat(number, format, rounding);
}

/// A wide integer as one of at most 53 significant bits that rounds, to fewer of them, like it: the last bit is set
/// where something was cut ("round to odd").
static Expr shorten(const Expr &integer, bool isUnsigned) {
  constexpr unsigned cut = 11;
  auto shiftRight = [&](unsigned by) {
    return isUnsigned ? integer >> by : integer.shiftedRightSigned(integer.integer(by));
  };
  Expr rest = integer & uint64_t((1 << cut) - 1);
  Expr kept = shiftRight(cut) | select(rest != 0, integer.integer(1), integer.integer(0));
  Expr high = shiftRight(53);
  Expr fits = isUnsigned ? high == 0 : (high + 1 & ~uint64_t(1)) == 0;
  return select(fits, integer, kept << cut);
}

static Expr fromInteger(const Expr &integer, Type format, bool isUnsigned, Rounding rounding) {
  MLIRContext *context = format.getContext();
  unsigned width = integer.width();
  bool isNearest = rounding == Rounding::NearestEven;
  if (format.isF64() && (isNearest || width <= 32))
    return integer.toFloat(Float64Type::get(context), isUnsigned);
  if (format.isF32() && (isNearest || width <= 16))
    return integer.toFloat(Float32Type::get(context), isUnsigned);
  if (width <= 16)
    return toFormat(integer.toFloat(Float32Type::get(context), isUnsigned), format, rounding);
  Expr exact = width == 64 ? shorten(integer, isUnsigned) : integer;
  return toFormat(exact.toFloat(Float64Type::get(context), isUnsigned), format, rounding);
}

/// The integer part; as a bit, whether the number is not zero. An operand outside of the range is clamped
/// first, since the conversion has no value there; NaN becomes the lower end, or 0 where the operation
/// saturates.
static Expr toInteger(const Expr &number, IntegerType type, bool isUnsigned, bool saturates) {
  unsigned width = type.getWidth();
  if (width == 1)
    return number != 0;
  APInt smallest = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt largest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  const llvm::fltSemantics &semantics = cast<FloatType>(number.element()).getFloatSemantics();
  APFloat low(semantics), high(semantics);
  low.convertFromAPInt(smallest, !isUnsigned, APFloat::rmTowardZero);
  // The largest float that does not exceed the largest integer.
  high.convertFromAPInt(largest, !isUnsigned, APFloat::rmTowardZero);
  Expr lowest = number.real(low), highest = number.real(high);
  Expr clamped = select(number > lowest, number, lowest);
  clamped = select(clamped < highest, clamped, highest);
  Type to = number.like(type);
  Expr result = isUnsigned ? clamped.make<arith::FPToUIOp>(to, clamped) : clamped.make<arith::FPToSIOp>(to, clamped);
  if (saturates) {
    result = select(number > highest, result.integer(largest.getZExtValue()), result);
    result = select(number.isNaN(), result.integer(0), result);
  }
  return result;
}

Expr legalize::legalizeConvert(OpBuilder &builder, tileaa::ConvertOp op) {
  Expr source(builder, op.getLoc(), op.getSource());
  bool isUnsigned = op.getIsUnsigned();
  if (op.getFrom().isInteger())
    return fromInteger(source, op.getTo(), isUnsigned, op.getRounding());
  Expr number = readFloat(source, op.getFrom());
  if (auto integer = dyn_cast<IntegerType>(op.getTo()))
    return toInteger(number, integer, isUnsigned, op.getSaturate());
  return toFormat(number, op.getTo(), op.getRounding());
}
