// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of formats that C++ has no types for, converted by the host: rounded to the nearest, ties to even. As in tile
// code, those of 8 and 4 bits become the largest number where they are too large, and all others an infinity.
#ifndef TILEWRIGHT_CUDA_TILE_ENCODING_H
#define TILEWRIGHT_CUDA_TILE_ENCODING_H

namespace cuda::tiles {
inline namespace __1 {

// Fields of bits: a sign, an exponent and a significand, from the top. `largest` is the code of the largest number, and
// `nan` that of a number that is none, where there is one.
struct __encoding {
  int exponent, significand, bias;
  unsigned largest, nan;
  bool has_infinity, saturates;
  int unused = 0; // bits below the significand

  static constexpr int of_double = 52, bias_of_double = 1023;

  constexpr int smallest_exponent() const { return 1 - bias; }
  constexpr unsigned sign() const { return 1u << (exponent + significand); }

  constexpr unsigned encode(double number) const {
    unsigned long long bits = __builtin_bit_cast(unsigned long long, number);
    unsigned code = encode_magnitude(bits & ~(1ull << 63));
    return (code | (bits >> 63 ? sign() : 0)) << unused;
  }

  constexpr double decode(unsigned code) const {
    code >>= unused;
    unsigned magnitude = code & (sign() - 1);
    double number = decode_magnitude(magnitude);
    return code & sign() ? -number : number;
  }

private:
  constexpr unsigned encode_magnitude(unsigned long long bits) const {
    constexpr unsigned long long infinity = 0x7ffull << of_double;
    if (bits > infinity)
      return nan;
    if (bits == infinity)
      return saturates ? largest : largest + 1;
    int power = int(bits >> of_double) - bias_of_double;
    unsigned long long digits = (bits & ((1ull << of_double) - 1)) | (1ull << of_double);
    int below = power < smallest_exponent() ? smallest_exponent() - power : 0;
    int shift = of_double - significand + below;
    if (shift > of_double + 1) // less than half of the smallest number; also what a double has as subnormal
      return 0;
    unsigned long long rest = digits & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    unsigned long long kept = digits >> shift;
    kept += rest > half || (rest == half && kept & 1);
    // The significand's first digit, which is not stored, adds one to the exponent.
    long long code =
        below ? (long long)kept : ((long long)(power - smallest_exponent()) << significand) + (long long)kept;
    return code <= largest ? unsigned(code) : saturates ? largest : largest + 1;
  }

  constexpr double decode_magnitude(unsigned magnitude) const {
    if (magnitude > largest)
      return has_infinity && magnitude == largest + 1 ? __builtin_huge_val() : __builtin_nan("");
    unsigned power = magnitude >> significand, digits = magnitude & ((1u << significand) - 1);
    if (power == 0)
      return digits * power_of_two(smallest_exponent() - significand);
    return ((1u << significand) + digits) * power_of_two(int(power) - bias - significand);
  }
  static constexpr double power_of_two(int power) {
    return __builtin_bit_cast(double, (unsigned long long)(power + bias_of_double) << of_double);
  }
};

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_ENCODING_H
