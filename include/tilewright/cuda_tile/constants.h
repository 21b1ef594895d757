// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants as types: integral_constant with its literals and arithmetic, and a wrapper for each enumeration.
#ifndef TILEWRIGHT_CUDA_TILE_CONSTANTS_H
#define TILEWRIGHT_CUDA_TILE_CONSTANTS_H

#include "annotations.h"

namespace cuda::tiles {
inline namespace __1 {

template <class T>
concept integral = std::is_integral_v<T>;
template <class T, class U>
concept same_as = std::is_same_v<T, U> && std::is_same_v<U, T>;

template <auto V>
  requires(integral<decltype(V)>)
struct integral_constant {
  using type = integral_constant;
  using value_type = decltype(V);
  static constexpr value_type value = V;
  __tile__ constexpr operator value_type() const noexcept { return V; }
  __tile__ constexpr value_type operator()() const noexcept { return V; }
};

#define __TILEWRIGHT_CONSTANT_OPERATOR(OP)                                                                             \
  template <auto V, auto W>                                                                                            \
  __tile__ constexpr integral_constant<(V OP W)> operator OP(integral_constant<V>, integral_constant<W>) noexcept {    \
    return {};                                                                                                         \
  }
__TILEWRIGHT_CONSTANT_OPERATOR(+)
__TILEWRIGHT_CONSTANT_OPERATOR(-)
__TILEWRIGHT_CONSTANT_OPERATOR(*)
__TILEWRIGHT_CONSTANT_OPERATOR(/)
__TILEWRIGHT_CONSTANT_OPERATOR(%)
__TILEWRIGHT_CONSTANT_OPERATOR(&)
__TILEWRIGHT_CONSTANT_OPERATOR(|)
__TILEWRIGHT_CONSTANT_OPERATOR(^)
__TILEWRIGHT_CONSTANT_OPERATOR(<<)
__TILEWRIGHT_CONSTANT_OPERATOR(>>)
#undef __TILEWRIGHT_CONSTANT_OPERATOR
#define __TILEWRIGHT_CONSTANT_OPERATOR(OP)                                                                             \
  template <auto V> __tile__ constexpr integral_constant<(OP V)> operator OP(integral_constant<V>) noexcept {          \
    return {};                                                                                                         \
  }
__TILEWRIGHT_CONSTANT_OPERATOR(+)
__TILEWRIGHT_CONSTANT_OPERATOR(-)
__TILEWRIGHT_CONSTANT_OPERATOR(~)
#undef __TILEWRIGHT_CONSTANT_OPERATOR

template <class T> inline constexpr bool __is_constant = false;
template <auto V> inline constexpr bool __is_constant<integral_constant<V>> = true;

// ---- literals: 128_ic --------------------------------------------------------------------------

template <char... C> consteval unsigned long long __digits() {
  unsigned long long number = 0;
  ((C == '\'' ? 0 : (number = number * 10 + (C - '0'))), ...);
  return number;
}
template <unsigned long long N> consteval auto __smallest() {
  if constexpr (N <= 0x7fffffff)
    return integral_constant<static_cast<int>(N)>{};
  else if constexpr (sizeof(long) == 8 && N <= 0x7fffffffffffffff)
    return integral_constant<static_cast<long>(N)>{};
  else
    return integral_constant<static_cast<long long>(N)>{};
}
namespace literals {
template <char... C> __tile__ consteval auto operator""_ic() {
  static_assert(((C == '\'' || (C >= '0' && C <= '9')) && ...), "a literal with the suffix _ic is a decimal integer");
  return decltype(__smallest<__digits<C...>()>()){};
}
} // namespace literals

// ---- enumerations --------------------------------------------------------------------------------

#define __TILEWRIGHT_ENUM_CONSTANT(ENUM)                                                                               \
  template <ENUM V> struct ENUM##_constant {                                                                           \
    using type = ENUM##_constant;                                                                                      \
    using value_type = ENUM;                                                                                           \
    static constexpr value_type value = V;                                                                             \
    __tile__ constexpr operator value_type() const noexcept { return V; }                                              \
    __tile__ constexpr value_type operator()() const noexcept { return V; }                                            \
  };                                                                                                                   \
  template <class T> inline constexpr bool __is_##ENUM = false;                                                        \
  template <ENUM V> inline constexpr bool __is_##ENUM<ENUM##_constant<V>> = true;

enum class rounding_mode : unsigned char {
  round_ties_to_even,
  round_toward_zero,
  round_toward_negative,
  round_toward_positive,
  round_approximate,
  round_full,
  round_ties_to_away
};
enum class subnormals_rounding_mode : unsigned char { preserve_subnormals, round_subnormals_to_zero };
enum class nan_propagation_mode : unsigned char { suppress_nan, propagate_nan };
enum class saturation_mode : unsigned char { saturate_none, saturate_finite };
enum class memory_order : unsigned char { relaxed, acquire, release, acq_rel };
enum class thread_scope : unsigned char { system, device, block };
enum class scan_direction : unsigned char { forward, backward };
enum class view_padding : unsigned char { zero, negative_zero, positive_inf, negative_inf, nan };

__TILEWRIGHT_ENUM_CONSTANT(rounding_mode)
__TILEWRIGHT_ENUM_CONSTANT(subnormals_rounding_mode)
__TILEWRIGHT_ENUM_CONSTANT(nan_propagation_mode)
__TILEWRIGHT_ENUM_CONSTANT(saturation_mode)
__TILEWRIGHT_ENUM_CONSTANT(memory_order)
__TILEWRIGHT_ENUM_CONSTANT(thread_scope)
__TILEWRIGHT_ENUM_CONSTANT(scan_direction)
__TILEWRIGHT_ENUM_CONSTANT(view_padding)
#undef __TILEWRIGHT_ENUM_CONSTANT

using round_ties_to_even_t = rounding_mode_constant<rounding_mode::round_ties_to_even>;
using round_toward_zero_t = rounding_mode_constant<rounding_mode::round_toward_zero>;
using round_toward_negative_t = rounding_mode_constant<rounding_mode::round_toward_negative>;
using round_toward_positive_t = rounding_mode_constant<rounding_mode::round_toward_positive>;
using round_approximate_t = rounding_mode_constant<rounding_mode::round_approximate>;
using round_full_t = rounding_mode_constant<rounding_mode::round_full>;
using round_ties_to_away_t = rounding_mode_constant<rounding_mode::round_ties_to_away>;
using preserve_subnormals_t = subnormals_rounding_mode_constant<subnormals_rounding_mode::preserve_subnormals>;
using round_subnormals_to_zero_t =
    subnormals_rounding_mode_constant<subnormals_rounding_mode::round_subnormals_to_zero>;
using suppress_nan_t = nan_propagation_mode_constant<nan_propagation_mode::suppress_nan>;
using propagate_nan_t = nan_propagation_mode_constant<nan_propagation_mode::propagate_nan>;
using saturate_none_t = saturation_mode_constant<saturation_mode::saturate_none>;
using saturate_finite_t = saturation_mode_constant<saturation_mode::saturate_finite>;
using memory_order_relaxed_t = memory_order_constant<memory_order::relaxed>;
using memory_order_acquire_t = memory_order_constant<memory_order::acquire>;
using memory_order_release_t = memory_order_constant<memory_order::release>;
using memory_order_acq_rel_t = memory_order_constant<memory_order::acq_rel>;
using thread_scope_system_t = thread_scope_constant<thread_scope::system>;
using thread_scope_device_t = thread_scope_constant<thread_scope::device>;
using thread_scope_block_t = thread_scope_constant<thread_scope::block>;
using scan_forward_t = scan_direction_constant<scan_direction::forward>;
using scan_backward_t = scan_direction_constant<scan_direction::backward>;
using view_padding_zero_t = view_padding_constant<view_padding::zero>;
using view_padding_negative_zero_t = view_padding_constant<view_padding::negative_zero>;
using view_padding_positive_inf_t = view_padding_constant<view_padding::positive_inf>;
using view_padding_negative_inf_t = view_padding_constant<view_padding::negative_inf>;
using view_padding_nan_t = view_padding_constant<view_padding::nan>;

using default_rounding_mode_t = round_ties_to_even_t;
__tile__ constexpr default_rounding_mode_t default_rounding_mode() {
  return {};
}
using default_subnormals_rounding_mode_t = preserve_subnormals_t;
__tile__ constexpr default_subnormals_rounding_mode_t default_subnormals_rounding_mode() {
  return {};
}
using default_nan_propagation_mode_t = suppress_nan_t;
__tile__ constexpr default_nan_propagation_mode_t default_nan_propagation_mode() {
  return {};
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_CONSTANTS_H
