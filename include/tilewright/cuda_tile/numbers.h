// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of numbers that C++ has no types for. Where headers of the CUDA toolkit were included before, the types
// are theirs.
#ifndef TILEWRIGHT_CUDA_TILE_NUMBERS_H
#define TILEWRIGHT_CUDA_TILE_NUMBERS_H

#include "annotations.h"
#include "encoding.h"

namespace cuda::tiles {
inline namespace __1 {
namespace __op {
__TILEWRIGHT_OP(convert)
} // namespace __op
template <class T>
concept __number_of_language = std::is_arithmetic_v<T>;
// A class of those below, or of the toolkit.
template <class T> inline constexpr bool __is_number_class = false;
// Those that the host converts.
template <class T> inline constexpr __encoding __encoding_of = {};

// In tile code a conversion is an operation.
#if defined(__TILEWRIGHT_TILE_CODE__)
template <class To, class From> __tile__ To __convert(From number) {
  return __op::convert<To>(number);
}
#else
template <class To, class From> To __convert(From number) {
  constexpr bool encodes = __is_number_class<To>;
  constexpr __encoding encoding = __encoding_of<std::conditional_t<encodes, To, From>>;
  if constexpr (encoding.exponent == 0)
    return __op::convert<To>(number);
  else if constexpr (encodes) {
    To made;
    made.__x = static_cast<decltype(made.__x)>(encoding.encode(static_cast<double>(number)));
    return made;
  } else
    return static_cast<To>(encoding.decode(number.__x));
}
#endif
} // namespace __1
} // namespace cuda::tiles

// A number of that many bits. It is made from numbers and becomes one, explicitly; `float` implicitly where that loses
// nothing.
#define __TILEWRIGHT_NUMBER(NAME, KIND, BITS, EXPLICIT)                                                                \
  struct __TILEWRIGHT_VALUE(KIND) NAME {                                                                               \
    BITS __x;                                                                                                          \
    NAME() = default;                                                                                                  \
    template <cuda::tiles::__number_of_language T>                                                                     \
    __tile__ EXPLICIT NAME(T number) : NAME(cuda::tiles::__convert<NAME>(number)) {}                                   \
    template <class T>                                                                                                 \
      requires(cuda::tiles::__is_number_class<T> && !std::is_same_v<T, NAME>)                                          \
    __tile__ explicit NAME(T number) : NAME(cuda::tiles::__convert<NAME>(number)) {}                                   \
    template <cuda::tiles::__number_of_language T> __tile__ explicit operator T() const {                              \
      return cuda::tiles::__convert<T>(*this);                                                                         \
    }                                                                                                                  \
  };
#define __TILEWRIGHT_NUMBER_CLASS(NAME)                                                                                \
  struct NAME;                                                                                                         \
  template <> inline constexpr bool cuda::tiles::__is_number_class<NAME> = true;
__TILEWRIGHT_NUMBER_CLASS(__half)
__TILEWRIGHT_NUMBER_CLASS(__nv_bfloat16)
__TILEWRIGHT_NUMBER_CLASS(__nv_tf32)
__TILEWRIGHT_NUMBER_CLASS(__nv_fp8_e4m3)
__TILEWRIGHT_NUMBER_CLASS(__nv_fp8_e5m2)
__TILEWRIGHT_NUMBER_CLASS(__nv_fp8_e8m0)
__TILEWRIGHT_NUMBER_CLASS(__nv_fp8_ue5m3)
__TILEWRIGHT_NUMBER_CLASS(__nv_fp4_e2m1)
#undef __TILEWRIGHT_NUMBER_CLASS

namespace cuda::tiles {
inline namespace __1 {
template <> inline constexpr __encoding __encoding_of<__half> = {5, 10, 15, 0x7bff, 0x7fff, true, false};
template <> inline constexpr __encoding __encoding_of<__nv_bfloat16> = {8, 7, 127, 0x7f7f, 0x7fff, true, false};
template <> inline constexpr __encoding __encoding_of<__nv_tf32> = {8, 10, 127, 0x3fbff, 0x3ffff, true, false, 13};
template <> inline constexpr __encoding __encoding_of<__nv_fp8_e4m3> = {4, 3, 7, 0x7e, 0x7f, false, true};
template <> inline constexpr __encoding __encoding_of<__nv_fp8_e5m2> = {5, 2, 15, 0x7b, 0x7f, true, true};
template <> inline constexpr __encoding __encoding_of<__nv_fp4_e2m1> = {2, 1, 1, 7, 7, false, true};
} // namespace __1
} // namespace cuda::tiles

#ifndef __CUDA_FP16_H__
__TILEWRIGHT_NUMBER(__half, "f16", unsigned short, )
#endif
#ifndef __CUDA_BF16_H__
__TILEWRIGHT_NUMBER(__nv_bfloat16, "bf16", unsigned short, )
#endif
#ifndef __CUDA_TF32_H__
__TILEWRIGHT_NUMBER(__nv_tf32, "tf32", unsigned, explicit)
#endif
#ifndef __CUDA_FP8_H__
__TILEWRIGHT_NUMBER(__nv_fp8_e4m3, "f8E4M3FN", unsigned char, explicit)
__TILEWRIGHT_NUMBER(__nv_fp8_e5m2, "f8E5M2", unsigned char, explicit)
__TILEWRIGHT_NUMBER(__nv_fp8_e8m0, "f8E8M0FNU", unsigned char, explicit)
__TILEWRIGHT_NUMBER(__nv_fp8_ue5m3, "f8E5M3FNU", unsigned char, explicit)
#endif
#ifndef __CUDA_FP4_H__
__TILEWRIGHT_NUMBER(__nv_fp4_e2m1, "f4E2M1FN", unsigned char, explicit)
#endif
#undef __TILEWRIGHT_NUMBER

#endif // TILEWRIGHT_CUDA_TILE_NUMBERS_H
