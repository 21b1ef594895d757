// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits, for machines without the instructions. C and C++: part of the runtime and of the header of every
// library, which programs in C include.
#ifndef TILEWRIGHT_ABI_CFLOAT_H
#define TILEWRIGHT_ABI_CFLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// A double rounded to nearest even in a format of that many exponent and mantissa bits. Every narrow conversion goes
// through here; float widens to double exactly. Clarity wins over speed.
static inline uint16_t tilewright_narrow(double value, int exponentBits, int mantissaBits) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  const uint32_t sign = (uint32_t)(bits >> 63) << (exponentBits + mantissaBits);
  const int bias = (1 << (exponentBits - 1)) - 1;
  const uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  if (isnan(value)) // quiet, payload's upper bits kept
    return (uint16_t)(sign | infinity | (1u << (mantissaBits - 1)) |
                      (uint32_t)((bits & ((UINT64_C(1) << 52) - 1)) >> (52 - mantissaBits)));
  if (isinf(value))
    return (uint16_t)(sign | infinity);
  if (value == 0)
    return (uint16_t)sign;
  int exponent;
  const double fraction = frexp(fabs(value), &exponent); // [0.5, 1)
  // Units of the last place: fixed below the smallest normal number.
  const int least = 1 - bias - mantissaBits, wanted = exponent - 1 - mantissaBits;
  const int ulp = wanted > least ? wanted : least;
  // Adding the mantissa with its leading one carries into the exponent by itself, up to infinity.
  uint32_t magnitude = (uint32_t)nearbyint(ldexp(fraction, exponent - ulp));
  if (ulp != least)
    magnitude += (uint32_t)(ulp + mantissaBits + bias - 1) << mantissaBits;
  return (uint16_t)(sign | (magnitude < infinity ? magnitude : infinity));
}

static inline float tilewright_widen_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float magnitude;
  if (exponent == 31) {
    const uint32_t wide = mantissa ? 0x7fc00000u | (uint32_t)mantissa << 13 : 0x7f800000u;
    memcpy(&magnitude, &wide, sizeof(magnitude));
  } else {
    magnitude = exponent ? ldexpf((float)(mantissa | 1024), exponent - 25) : ldexpf((float)mantissa, -24);
  }
  return bits >> 15 ? -magnitude : magnitude;
}

static inline float tilewright_widen_bfloat(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

#endif // TILEWRIGHT_ABI_CFLOAT_H
