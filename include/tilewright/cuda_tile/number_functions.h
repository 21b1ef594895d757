// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on single numbers of 16 bits, by the names that they have in the CUDA toolkit.
#ifndef TILEWRIGHT_CUDA_TILE_NUMBER_FUNCTIONS_H
#define TILEWRIGHT_CUDA_TILE_NUMBER_FUNCTIONS_H

#include "arithmetic.h"
#include "numbers.h"

#define __TILEWRIGHT_FROM(FUNCTION, NUMBER, T)                                                                         \
  inline __tile__ NUMBER FUNCTION(T x) {                                                                               \
    return NUMBER(x);                                                                                                  \
  }
#define __TILEWRIGHT_TO(FUNCTION, NUMBER, T)                                                                           \
  inline __tile__ T FUNCTION(NUMBER x) {                                                                               \
    return static_cast<T>(x);                                                                                          \
  }
#define __TILEWRIGHT_CONVERSIONS(NAME, NUMBER)                                                                         \
  __TILEWRIGHT_FROM(__float2##NAME, NUMBER, float)                                                                     \
  __TILEWRIGHT_FROM(__float2##NAME##_rn, NUMBER, float)                                                                \
  __TILEWRIGHT_FROM(__double2##NAME, NUMBER, double)                                                                   \
  __TILEWRIGHT_FROM(__short2##NAME##_rn, NUMBER, short)                                                                \
  __TILEWRIGHT_FROM(__ushort2##NAME##_rn, NUMBER, unsigned short)                                                      \
  __TILEWRIGHT_FROM(__int2##NAME##_rn, NUMBER, int)                                                                    \
  __TILEWRIGHT_FROM(__uint2##NAME##_rn, NUMBER, unsigned)                                                              \
  __TILEWRIGHT_FROM(__ll2##NAME##_rn, NUMBER, long long)                                                               \
  __TILEWRIGHT_FROM(__ull2##NAME##_rn, NUMBER, unsigned long long)                                                     \
  __TILEWRIGHT_TO(__##NAME##2float, NUMBER, float)                                                                     \
  __TILEWRIGHT_TO(__##NAME##2short_rz, NUMBER, short)                                                                  \
  __TILEWRIGHT_TO(__##NAME##2ushort_rz, NUMBER, unsigned short)                                                        \
  __TILEWRIGHT_TO(__##NAME##2int_rz, NUMBER, int)                                                                      \
  __TILEWRIGHT_TO(__##NAME##2uint_rz, NUMBER, unsigned)                                                                \
  __TILEWRIGHT_TO(__##NAME##2ll_rz, NUMBER, long long)                                                                 \
  __TILEWRIGHT_TO(__##NAME##2ull_rz, NUMBER, unsigned long long)

#define __TILEWRIGHT_OPERATION(FUNCTION, R, NUMBER, OPERATOR)                                                          \
  inline __tile__ R FUNCTION(NUMBER a, NUMBER b) {                                                                     \
    return a OPERATOR b;                                                                                               \
  }
#define __TILEWRIGHT_OPERATIONS(NUMBER)                                                                                \
  __TILEWRIGHT_OPERATION(__hadd, NUMBER, NUMBER, +)                                                                    \
  __TILEWRIGHT_OPERATION(__hsub, NUMBER, NUMBER, -)                                                                    \
  __TILEWRIGHT_OPERATION(__hmul, NUMBER, NUMBER, *)                                                                    \
  __TILEWRIGHT_OPERATION(__hdiv, NUMBER, NUMBER, /)                                                                    \
  __TILEWRIGHT_OPERATION(__heq, bool, NUMBER, ==)                                                                      \
  __TILEWRIGHT_OPERATION(__hne, bool, NUMBER, !=)                                                                      \
  __TILEWRIGHT_OPERATION(__hlt, bool, NUMBER, <)                                                                       \
  __TILEWRIGHT_OPERATION(__hle, bool, NUMBER, <=)                                                                      \
  __TILEWRIGHT_OPERATION(__hgt, bool, NUMBER, >)                                                                       \
  __TILEWRIGHT_OPERATION(__hge, bool, NUMBER, >=)

#ifndef __CUDA_FP16_H__
__TILEWRIGHT_CONVERSIONS(half, __half)
__TILEWRIGHT_OPERATIONS(__half)
typedef __half half;
#endif
#ifndef __CUDA_BF16_H__
__TILEWRIGHT_CONVERSIONS(bfloat16, __nv_bfloat16)
__TILEWRIGHT_OPERATIONS(__nv_bfloat16)
typedef __nv_bfloat16 nv_bfloat16;
#endif

#undef __TILEWRIGHT_FROM
#undef __TILEWRIGHT_TO
#undef __TILEWRIGHT_CONVERSIONS
#undef __TILEWRIGHT_OPERATION
#undef __TILEWRIGHT_OPERATIONS

#endif // TILEWRIGHT_CUDA_TILE_NUMBER_FUNCTIONS_H
