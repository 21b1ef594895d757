// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of any float format from and to f32 and f64, by integers and without branches.
#include "tileaa/transforms/legalize/Formats.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::legalize;
using tileaa::Rounding;

static uint64_t ones(unsigned count) {
  return llvm::maskTrailingOnes<uint64_t>(count);
}

//===-- reading -----------------------------------------------------------===//

Expr legalize::readFloat(const Expr &stored, Type format) {
  auto f32 = Float32Type::get(format.getContext());
  const FloatFormat &from = describe(format);
  const FloatFormat &to = describe(f32);
  if (from.unusedBits) // of a NaN they may be all there is
    return select(stored.isNaN(), stored, (stored.bits() & ~ones(from.unusedBits)).as(f32));
  if (format.isF64())
    return stored;
  if (stored.isFloat())
    return stored.inFloat(f32);

  Expr word = stored.extended(32);
  Expr code = word & ones(from.codeBits);
  unsigned rebase = to.mantissaBits - from.mantissaBits;
  // The exponent field counts from another end; f32's begins at -127.
  uint64_t distance = static_cast<uint64_t>(from.minExponent - (from.hasZero ? 1 : 0) + 127) << to.mantissaBits;
  Expr normal = (code << rebase) + static_cast<int64_t>(distance);
  Expr result = normal;
  if (from.hasZero) {
    Expr unit = word.toFloat(f32, false).real(std::ldexp(1.0, from.minExponent - static_cast<int>(from.mantissaBits)));
    Expr subnormal = code.toFloat(f32, /*isUnsigned=*/false) * unit;
    result = select(code < static_cast<int64_t>(ones(from.mantissaBits) + 1), subnormal.bits(), normal);
  } else {
    result = select(code == 0, code.integer(1 << (to.mantissaBits - 1)), normal); // 2^-127 is subnormal
  }
  if (from.hasInfinity())
    result = select(code == from.infinity, code.integer(to.infinity), result);
  uint64_t lastNumber = from.hasInfinity() ? from.infinity : from.largest;
  if (lastNumber < ones(from.codeBits))
    result = select(code > static_cast<int64_t>(lastNumber), code.integer(to.nan), result);
  if (from.isSigned)
    result = result | ((word ^ code) << (31 - from.codeBits));
  return result.as(f32);
}

//===-- writing -----------------------------------------------------------===//

/// The increment of a significand that makes truncation of its low `shift` bits round it.
static std::optional<Expr> getIncrement(const Expr &significand, const Expr &shift, const Expr &isNegative,
                                        Rounding rounding) {
  Expr one = significand.integer(1), none = significand.integer(0);
  switch (rounding) {
  case Rounding::NearestEven: {
    Expr last = (significand >> shift) & 1;
    return (one << (shift - 1)) - 1 + last;
  }
  case Rounding::NearestAway:
    return one << (shift - 1);
  case Rounding::PositiveInf:
    return select(isNegative, none, (one << shift) - 1);
  case Rounding::NegativeInf:
    return select(isNegative, (one << shift) - 1, none);
  case Rounding::Zero:
    return std::nullopt;
  }
  llvm_unreachable("a rounding");
}

/// The code of a finite number that is too large.
static Expr getOverflow(const Expr &code, const FloatFormat &to, const Expr &isNegative, Rounding rounding) {
  Expr largest = code.integer(to.largest);
  if (!to.hasInfinity() || to.saturates || rounding == Rounding::Zero)
    return largest;
  Expr infinity = code.integer(to.infinity);
  if (rounding == Rounding::PositiveInf)
    return select(isNegative, largest, infinity);
  if (rounding == Rounding::NegativeInf)
    return select(isNegative, infinity, largest);
  return infinity;
}

Expr legalize::writeFloat(const Expr &number, Type format, Rounding rounding) {
  const FloatFormat &from = describe(number.element()), &to = describe(format);
  assert(from.mantissaBits > to.mantissaBits && "a format to round to");
  Expr bits = number.bits();
  Expr magnitude = bits & ones(from.codeBits);
  // An unsigned format drops the sign before anything else.
  Expr isNegative = to.isSigned ? bits < 0 : bits < bits;

  Expr field = magnitude >> from.mantissaBits;
  Expr significand = (magnitude & ones(from.mantissaBits)) | (ones(from.mantissaBits) + 1);
  significand = select(field == 0, magnitude, significand);
  Expr exponent = larger(field, field.integer(1));

  // Below the smallest normal number the last place kept stays where it is; what lies two places below the leading bit
  // need not be distinguished.
  int first = to.minExponent - from.minExponent + 1; // in `field`
  unsigned dropped = from.mantissaBits - to.mantissaBits;
  Expr shift = field.integer(dropped), above = exponent - first;
  if (first > 1) {
    Expr missing = larger(first - exponent, field.integer(0));
    shift = smaller(missing + dropped, field.integer(from.mantissaBits + 2));
    above = larger(above, field.integer(0));
  }
  Expr rounded = significand;
  if (std::optional<Expr> increment = getIncrement(significand, shift, isNegative, rounding))
    rounded = significand + *increment;
  // A normal number's leading bit adds the one that its exponent field is ahead by.
  Expr code = (above << to.mantissaBits) + (rounded >> shift);
  if (!to.hasZero) {
    llvm::APFloat smallest(
        number.real(0.0).element().isF32() ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble(), 1);
    smallest = llvm::scalbn(smallest, to.minExponent, llvm::APFloat::rmNearestTiesToEven);
    Expr limit = number.real(smallest).bits();
    code = select(limit < magnitude, code - 1, code.integer(0));
  }
  code = select(code > static_cast<int64_t>(to.largest), getOverflow(code, to, isNegative, rounding), code);
  Expr infinity = code.integer(to.hasInfinity() && !to.saturates ? to.infinity : to.largest);
  code = select(magnitude == static_cast<int64_t>(from.infinity), infinity, code);
  if (to.isSigned)
    code = code | ((bits >> from.codeBits) << to.codeBits);
  Expr nan = code.integer(to.nan == FloatFormat::none ? to.largest : to.nan);
  code = select(magnitude > static_cast<int64_t>(from.infinity), nan, code) << to.unusedBits;
  Type storage = tileaa::storageOf(format);
  return code.truncated(storage.getIntOrFloatBitWidth()).as(storage);
}
