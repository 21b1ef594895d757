// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The encoding of float types, and rounding to them.
#ifndef TILEWRIGHT_INTERPRETER_FLOATFORMAT_H
#define TILEWRIGHT_INTERPRETER_FLOATFORMAT_H

#include "cuda_tile/ir/Types.h"
#include "interpreter/Element.h"

namespace tilewright::interpreter {

using Rounding = cuda_tile::RoundingMode;

/// A finite number other than zero, with enough precision to be rounded once: significand * 2^exponent, plus less than
/// one unit of the significand if `isMore` is set.
struct Exact {
  bool isNegative;
  uint64_t significand;
  int exponent;
  bool isMore = false;
};

/// A type of floats as a table row. Its codes (the bits without the sign) count its magnitudes upwards from zero, so
/// rounding up is adding one. f8E4M3FN: three bits of mantissa, normal numbers from 2^-6, the largest number 0x7E, no
/// infinity, NaN 0x7F; 0x38 is (8 + 0) * 2^(7 - 10) = 1.
struct FloatFormat {
  static constexpr uint64_t none = ~uint64_t(0);

  unsigned mantissaBits;
  /// Exponent of the smallest normal number.
  int minExponent;
  /// Codes. A type without infinity rounds numbers that are too large, infinity included, to its largest number.
  uint64_t largest, infinity, nan;
  /// Position of the sign; none of unsigned types, which drop it.
  std::optional<unsigned> signBit;
  /// Bits of storage below the code: tf32 is the upper part of an f32.
  unsigned unusedBits = 0;
  /// f8E8M0FNU has powers of two only: code 0 is the smallest one and represents zero too.
  bool hasZero = true;
  /// Whether overflow results in the largest number although there is an infinity.
  bool saturates = false;

  /// The number, which a double holds exactly for every type.
  double decode(Bits bits) const;
  /// The number nearest to `value` by `mode`; approx and full are nearest even.
  Bits encode(double value, Rounding mode = Rounding::NearestEven) const;
  Bits encode(const Exact &value, Rounding mode = Rounding::NearestEven) const;

  Bits getNaN() const { return nan << unusedBits; }
  Bits getZero(bool isNegative) const { return place(0, isNegative); }
  bool isNaN(Bits bits) const;
  /// Neither zero nor a normal number.
  bool isSubnormal(Bits bits) const;

private:
  uint64_t getCode(Bits bits) const;
  Bits place(uint64_t code, bool isNegative) const;
  Bits getOverflow(bool isNegative, Rounding mode) const;
};

const FloatFormat &formatOf(Element element);

} // namespace tilewright::interpreter

#endif
