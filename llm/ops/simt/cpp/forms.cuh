// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights in the forms of FORM, as bf16 in the order of memory, which holds all their values. Those of int4 are
// multiplied by their scale here, those of int8 and f8 later.
#pragma once
#include "values.cuh"

#define DENSE 0
#define INT8 1
#define INT4 2
#define FP8 3

constexpr int BITS = FORM == DENSE ? 16 : FORM == INT4 ? 4 : 8;
constexpr int BLOCK = 128;  // rows and columns that share a scale of f8

// Places of elements from the first one, in bytes.
DEVICE long bytes_of(long elements) { return elements * BITS / 8; }

constexpr unsigned ONES = 0x3F803F80u, NEGATIVE_ZEROS = 0x80008000u;  // of bf16

// Four bytes i8: with the sign turned they are the last digits of 2^23 + 128 + value in f32.
DEVICE uint2 widen_int8(unsigned bytes) {
  float values[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    values[i] = __uint_as_float(__byte_perm(bytes ^ 0x80808080u, 0x4B000000u, 0x7540 + i)) - 8388736.0f;
  return make_uint2(pack_bf16(values[0], values[1]), pack_bf16(values[2], values[3]));
}

// Four f8e4m3: exponent and fraction at the same places of bf16, whose bias is 120 higher.
DEVICE uint2 widen_fp8(unsigned bytes) {
  constexpr unsigned FACTOR = 0x7B807B80u;  // 2^120
  unsigned odd = (bytes & 0x80008000u) | (bytes & 0x7F007F00u) >> 4;
  unsigned even = (bytes << 8 & 0x80008000u) | (bytes << 8 & 0x7F007F00u) >> 4;
  odd = fma_bf16(odd, FACTOR, NEGATIVE_ZEROS);
  even = fma_bf16(even, FACTOR, NEGATIVE_ZEROS);
  return make_uint2(__byte_perm(even, odd, 0x5410), __byte_perm(even, odd, 0x7632));
}

// Eight numbers of 4 bits: 128 + digit in bf16, less 136, times a scale.
DEVICE uint4 widen_int4(unsigned digits, unsigned scales) {
  unsigned far[4];  // digits i and i + 4
#pragma unroll
  for (int i = 0; i < 4; ++i)
    far[i] = fma_bf16(fma_bf16((digits >> 4 * i & 0x000F000Fu) | 0x43004300u, ONES, 0xC308C308u), scales,
                      NEGATIVE_ZEROS);
  return make_uint4(__byte_perm(far[0], far[1], 0x5410), __byte_perm(far[2], far[3], 0x5410),
                    __byte_perm(far[0], far[1], 0x7632), __byte_perm(far[2], far[3], 0x7632));
}

// Eight elements from the words that hold them, of which a form takes as many as it needs.
DEVICE uint4 widen(const unsigned *words, float scale) {
#if FORM == DENSE
  return make_uint4(words[0], words[1], words[2], words[3]);
#elif FORM == INT4
  return widen_int4(words[0], pack_bf16(scale, scale));
#else
  uint2 low = FORM == INT8 ? widen_int8(words[0]) : widen_fp8(words[0]);
  uint2 high = FORM == INT8 ? widen_int8(words[1]) : widen_fp8(words[1]);
  return make_uint4(low.x, low.y, high.x, high.y);
#endif
}
