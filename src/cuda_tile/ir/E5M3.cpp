// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/E5M3.h"
#include <cmath>

using llvm::APFloat;

namespace tilewright::cuda_tile {

static constexpr uint8_t nan = 0xFF;
static constexpr int bias = 15, mantissaBits = 3;

APFloat decodeE5M3(uint8_t bits) {
  if (bits == nan) {
    return APFloat::getNaN(APFloat::IEEEdouble());
  }
  int exponent = bits >> mantissaBits, mantissa = bits & ((1 << mantissaBits) - 1);
  if (exponent == 0) {
    return APFloat(std::ldexp(mantissa, 1 - bias - mantissaBits));
  }
  return APFloat(std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits));
}

std::optional<uint8_t> encodeE5M3(const APFloat &number) {
  if (number.isNaN()) {
    return nan;
  }
  if (number.isNegative()) {
    return std::nullopt;
  }
  // The encodings are in the order of the numbers, so the nearest one is found by bisection.
  bool isInexact;
  APFloat wanted = number;
  wanted.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  double value = wanted.convertToDouble();
  int low = 0, high = nan; // number(low) <= value < number(high), where number(NaN) is infinite
  while (high - low > 1) {
    int middle = (low + high) / 2;
    (decodeE5M3(middle).convertToDouble() <= value ? low : high) = middle;
  }
  double below = decodeE5M3(low).convertToDouble();
  double above = high == nan ? std::ldexp(15, 16 - mantissaBits) : decodeE5M3(high).convertToDouble();
  double toBelow = value - below, toAbove = above - value;
  return toBelow < toAbove || (toBelow == toAbove && low % 2 == 0) ? low : high;
}

} // namespace tilewright::cuda_tile
