// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/FloatFormat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace tilewright::interpreter {

static constexpr uint64_t none = FloatFormat::none;
static constexpr std::optional<unsigned> isUnsigned = std::nullopt;

// By the values of Element, from F16 on.
static constexpr FloatFormat formats[] = {
    /*F16*/ {10, -14, 0x7BFF, 0x7C00, 0x7E00, 15},
    /*BF16*/ {7, -126, 0x7F7F, 0x7F80, 0x7FC0, 15},
    /*F32*/ {23, -126, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 31},
    /*F64*/ {52, -1022, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000, 63},
    /*TF32*/ {10, -126, 0x3FBFF, 0x3FC00, 0x3FE00, 31, /*unusedBits=*/13},
    /*F8E4M3FN*/ {3, -6, 0x7E, none, 0x7F, 7},
    /*F8E5M2*/ {2, -14, 0x7B, 0x7C, 0x7F, 7, /*unusedBits=*/0, /*hasZero=*/true, /*saturates=*/true},
    /*F8E8M0FNU*/ {0, -127, 0xFE, none, 0xFF, isUnsigned, /*unusedBits=*/0, /*hasZero=*/false},
    /*F8E5M3FNU*/ {3, -14, 0xFE, none, 0xFF, isUnsigned},
    /*F4E2M1FN*/ {1, 0, 0x7, none, none, 3},
};

const FloatFormat &formatOf(Element element) {
  assert(isFloat(element));
  return formats[static_cast<unsigned>(element) - static_cast<unsigned>(Element::F16)];
}

//===- Reading --------------------------------------------------------------------------===//

uint64_t FloatFormat::getCode(Bits bits) const {
  if (signBit) {
    bits &= ~(Bits(1) << *signBit);
  }
  uint64_t code = bits >> unusedBits;
  // A NaN stays one whose payload lies below the code.
  return code == infinity && bits != infinity << unusedBits ? nan : code;
}

bool FloatFormat::isNaN(Bits bits) const {
  uint64_t code = getCode(bits);
  return infinity != none ? code > infinity : code == nan;
}

bool FloatFormat::isSubnormal(Bits bits) const {
  uint64_t code = getCode(bits);
  return hasZero && code != 0 && code >> mantissaBits == 0;
}

static double powerOfTwo(int exponent) {
  return llvm::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
}

double FloatFormat::decode(Bits bits) const {
  // The processor's own types.
  if (mantissaBits == 52) {
    return llvm::bit_cast<double>(bits);
  }
  if (mantissaBits == 23) {
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  }
  uint64_t code = getCode(bits);
  bool isNegative = signBit && (bits >> *signBit & 1);
  double magnitude;
  if (isNaN(bits)) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else if (code == infinity) {
    magnitude = std::numeric_limits<double>::infinity();
  } else if (!hasZero) {
    magnitude = powerOfTwo(static_cast<int>(code) + minExponent);
  } else {
    uint64_t hidden = uint64_t(1) << mantissaBits, mantissa = code & (hidden - 1);
    int exponent = static_cast<int>(code >> mantissaBits);
    uint64_t significand = exponent ? mantissa | hidden : mantissa;
    magnitude = static_cast<double>(significand) *
                powerOfTwo(std::max(exponent, 1) - 1 + minExponent - static_cast<int>(mantissaBits));
  }
  return isNegative ? -magnitude : magnitude;
}

//===- Writing --------------------------------------------------------------------------===//

Bits FloatFormat::place(uint64_t code, bool isNegative) const {
  Bits bits = code << unusedBits;
  return isNegative && signBit ? bits | Bits(1) << *signBit : bits;
}

/// Whether a magnitude between two codes becomes the upper one. `half` compares what lies beyond the lower code with
/// half of a unit: negative, zero or positive.
static bool roundsUp(Rounding mode, bool isNegative, bool isOdd, bool isInexact, int half) {
  switch (mode) {
  case Rounding::Zero:
  case Rounding::NearestIntToZero:
    return false;
  case Rounding::NegativeInf:
    return isInexact && isNegative;
  case Rounding::PositiveInf:
    return isInexact && !isNegative;
  case Rounding::NearestAway:
    return half >= 0;
  case Rounding::NearestEven:
  case Rounding::Approx:
  case Rounding::Full:
    return half > 0 || (half == 0 && isOdd);
  }
  llvm_unreachable("a rounding mode");
}

Bits FloatFormat::getOverflow(bool isNegative, Rounding mode) const {
  bool staysFinite = mode == Rounding::Zero || mode == Rounding::NearestIntToZero ||
                     (mode == Rounding::NegativeInf && !isNegative) || (mode == Rounding::PositiveInf && isNegative);
  return place(infinity == none || saturates || staysFinite ? largest : infinity, isNegative);
}

Bits FloatFormat::encode(const Exact &value, Rounding mode) const {
  assert(value.significand != 0);
  bool isNegative = value.isNegative && signBit;
  int top = value.exponent + 63 - llvm::countl_zero(value.significand);
  // The exponent of the last place kept, and how many bits of the significand lie below it.
  int normal = std::max(top, minExponent), last = normal - static_cast<int>(mantissaBits);
  int dropped = last - value.exponent;

  uint64_t kept = 0;
  bool isInexact = value.isMore;
  int half = -1;
  if (dropped <= 0) {
    kept = value.significand << -dropped;
  } else {
    uint64_t below = value.significand;
    if (dropped < 64) {
      kept = value.significand >> dropped;
      below = value.significand & llvm::maskTrailingOnes<uint64_t>(dropped);
    }
    isInexact |= below != 0;
    if (dropped <= 64) {
      uint64_t middle = uint64_t(1) << (dropped - 1);
      half = below < middle ? -1 : below > middle || value.isMore ? 1 : 0;
    }
  }

  if (!hasZero && top < minExponent) {
    return place(0, isNegative);
  }
  // The leading bit of a normal number adds the one that its exponent field is ahead by.
  uint64_t code = (static_cast<uint64_t>(normal - minExponent) << mantissaBits) + kept;
  if (!hasZero) {
    code -= 1;
  }
  code += roundsUp(mode, isNegative, code & 1, isInexact, half);
  return code > largest ? getOverflow(isNegative, mode) : place(code, isNegative);
}

Bits FloatFormat::encode(double value, Rounding mode) const {
  if (mantissaBits == 23 && mode == Rounding::NearestEven && value == value) {
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  }
  const FloatFormat &f64 = formatOf(Element::F64);
  Bits bits = llvm::bit_cast<uint64_t>(value);
  bool isNegative = bits >> 63;
  uint64_t code = f64.getCode(bits);
  if (code > f64.infinity) {
    return nan == none ? place(largest, /*isNegative=*/false) : getNaN();
  }
  if (code == f64.infinity) {
    return place(infinity == none || saturates ? largest : infinity, isNegative);
  }
  if (code == 0) {
    return place(0, isNegative);
  }
  uint64_t hidden = uint64_t(1) << f64.mantissaBits, mantissa = code & (hidden - 1);
  int exponent = static_cast<int>(code >> f64.mantissaBits);
  return encode(Exact{isNegative, exponent ? mantissa | hidden : mantissa, std::max(exponent, 1) - 1075}, mode);
}

} // namespace tilewright::interpreter
