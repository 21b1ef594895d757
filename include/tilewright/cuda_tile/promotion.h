// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which scalars there are, what the common type of two is, and which conversions lose nothing.
#ifndef TILEWRIGHT_CUDA_TILE_PROMOTION_H
#define TILEWRIGHT_CUDA_TILE_PROMOTION_H

#include "numbers.h"

// Beside cuda::tiles, whose operators ask what a format is.
namespace cuda::__formats {
enum class __format { none, e2m1, e4m3, e5m2, e8m0, ue5m3, f16, bf16, tf32, f32, f64 };
} // namespace cuda::__formats

namespace cuda::tiles {
inline namespace __1 {

// The floats by what they hold: a format converts to another without loss if there is a path of `wider`.
using __formats::__format;
template <class T> inline constexpr __format __format_of = __format::none;
template <> inline constexpr __format __format_of<__nv_fp8_e4m3> = __format::e4m3;
template <> inline constexpr __format __format_of<__nv_fp8_e5m2> = __format::e5m2;
template <> inline constexpr __format __format_of<__nv_fp8_e8m0> = __format::e8m0;
template <> inline constexpr __format __format_of<__nv_fp8_ue5m3> = __format::ue5m3;
template <> inline constexpr __format __format_of<__nv_fp4_e2m1> = __format::e2m1;
template <> inline constexpr __format __format_of<__half> = __format::f16;
template <> inline constexpr __format __format_of<__nv_bfloat16> = __format::bf16;
template <> inline constexpr __format __format_of<__nv_tf32> = __format::tf32;
template <> inline constexpr __format __format_of<float> = __format::f32;
template <> inline constexpr __format __format_of<double> = __format::f64;

consteval bool __holds(__format to, __format from) {
  if (to == from)
    return true;
  switch (from) {
  case __format::e2m1:
    return __holds(to, __format::e4m3) || __holds(to, __format::e5m2);
  case __format::e4m3:
  case __format::e5m2:
    return __holds(to, __format::f16) || __holds(to, __format::bf16);
  case __format::e8m0:
  case __format::ue5m3:
    return __holds(to, __format::bf16);
  case __format::f16:
  case __format::bf16:
    return __holds(to, __format::tf32);
  case __format::tf32:
    return __holds(to, __format::f32);
  case __format::f32:
    return to == __format::f64;
  default:
    return false;
  }
}

template <class T>
concept floating_point_scalar = __format_of<std::remove_cv_t<T>> != __format::none;
template <class T>
concept basic_floating_point_scalar =
    floating_point_scalar<T> && (__format_of<T> == __format::f16 || __format_of<T> == __format::bf16 ||
                                 __format_of<T> == __format::f32 || __format_of<T> == __format::f64);
template <class T>
concept restricted_floating_point_scalar = floating_point_scalar<T> && !basic_floating_point_scalar<T>;
template <class T>
concept integral_scalar = std::is_integral_v<T> && sizeof(T) <= 8;
template <class T>
concept numeric_scalar = integral_scalar<T> || floating_point_scalar<T>;
template <class T>
concept arithmetic_scalar = integral_scalar<T> || basic_floating_point_scalar<T>;
template <class T>
concept pointer_scalar = std::is_pointer_v<T> && (std::is_void_v<std::remove_pointer_t<T>> ||
                                                  numeric_scalar<std::remove_cv_t<std::remove_pointer_t<T>>>);
template <class T>
concept scalar = numeric_scalar<T> || pointer_scalar<T>;

// ---- the common type of two numbers ---------------------------------------------------------------

// bool, characters, short, int, long, long long; unsigned wins.
template <class T> consteval int __rank() {
  if constexpr (std::is_same_v<T, bool>)
    return 0;
  else if constexpr (std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long>)
    return 5;
  else if constexpr (std::is_same_v<T, long> || std::is_same_v<T, unsigned long>)
    return 4;
  else
    return sizeof(T) == 1 ? 1 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 3 : 4;
}

template <class T, class U> consteval auto __common() {
  if constexpr (std::is_same_v<T, U>) {
    return std::type_identity<T>();
  } else if constexpr (floating_point_scalar<T> && floating_point_scalar<U>) {
    constexpr bool isWider = __holds(__format_of<T>, __format_of<U>),
                   isNarrower = __holds(__format_of<U>, __format_of<T>);
    if constexpr (isWider)
      return std::type_identity<T>();
    else if constexpr (isNarrower)
      return std::type_identity<U>();
    else
      return std::type_identity<void>();
  } else if constexpr (floating_point_scalar<T>) {
    return std::type_identity<T>();
  } else if constexpr (floating_point_scalar<U>) {
    return std::type_identity<U>();
  } else if constexpr (__rank<T>() != __rank<U>()) {
    return std::type_identity<std::conditional_t<(__rank<T>() > __rank<U>()), T, U>>();
  } else {
    return std::type_identity<std::conditional_t<std::is_unsigned_v<T>, T, U>>();
  }
}
template <class T, class U> using __common_t = typename decltype(__common<T, U>())::type;

// ---- conversions --------------------------------------------------------------------------------

template <class From, class To> consteval bool __converts() {
  if constexpr (pointer_scalar<From> && pointer_scalar<To>)
    return std::is_convertible_v<From, To>;
  else if constexpr (pointer_scalar<From>)
    return std::is_same_v<To, bool>;
  else
    return numeric_scalar<From> && numeric_scalar<To>;
}
template <class From, class To> consteval bool __keeps() {
  if constexpr (std::is_same_v<From, To>)
    return true;
  else if constexpr (floating_point_scalar<From> && floating_point_scalar<To>)
    return __holds(__format_of<To>, __format_of<From>);
  else if constexpr (integral_scalar<From> && integral_scalar<To>)
    return !std::is_same_v<To, bool> &&
           (std::is_same_v<From, bool> || (std::is_unsigned_v<From> == std::is_unsigned_v<To>
                                               ? sizeof(From) <= sizeof(To)
                                               : std::is_unsigned_v<From> && sizeof(From) < sizeof(To)));
  else
    return pointer_scalar<From> && pointer_scalar<To>;
}

template <class From, class To>
concept scalar_convertible_to = scalar<From> && scalar<To> && __converts<From, To>();
template <class From, class To>
concept non_narrowing_scalar_convertible_to = scalar_convertible_to<From, To> && __keeps<From, To>();
// The conversions of an operand: those without loss, and integers to a float.
template <class From, class To>
concept __operand_of = arithmetic_scalar<From> && arithmetic_scalar<To> &&
                       (__keeps<From, To>() || (integral_scalar<From> && basic_floating_point_scalar<To>));

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_PROMOTION_H
