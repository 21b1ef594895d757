// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which modifiers a function takes, by the elements E that it computes with. Integers take none.
#ifndef TILEWRIGHT_CUDA_TILE_MODIFIERS_H
#define TILEWRIGHT_CUDA_TILE_MODIFIERS_H

#include "constants.h"
#include "promotion.h"

namespace cuda::tiles {
inline namespace __1 {

// Rounding modes as bits of a set.
template <rounding_mode... R> inline constexpr unsigned __set = ((1u << static_cast<unsigned>(R)) | ... | 0u);
inline constexpr unsigned __directed =
    __set<rounding_mode::round_ties_to_even, rounding_mode::round_toward_zero, rounding_mode::round_toward_negative,
          rounding_mode::round_toward_positive>;
inline constexpr unsigned __approximate = __set<rounding_mode::round_approximate>;
inline constexpr unsigned __full = __set<rounding_mode::round_full>;

// Whether M is a rounding mode of the set `Any`, or, for float, of `OfFloat`.
template <class E, class M, unsigned Any, unsigned OfFloat> inline constexpr bool __rounds = false;
template <class E, rounding_mode R, unsigned Any, unsigned OfFloat>
inline constexpr bool __rounds<E, rounding_mode_constant<R>, Any, OfFloat> =
    basic_floating_point_scalar<E> && ((std::is_same_v<E, float> ? Any | OfFloat : Any) & __set<R>) != 0;
// Only those of float are flushed to zero.
template <class E, class M> inline constexpr bool __flushes = false;
template <class E, subnormals_rounding_mode S>
inline constexpr bool __flushes<E, subnormals_rounding_mode_constant<S>> =
    basic_floating_point_scalar<E> && (S == subnormals_rounding_mode::preserve_subnormals || std::is_same_v<E, float>);

// One modifier, or it and then what to do with subnormals.
#define __TILEWRIGHT_MODIFIERS(NAME, ...)                                                                              \
  template <class E, class... M> inline constexpr bool NAME = sizeof...(M) == 0;                                       \
  template <class E, class M> inline constexpr bool NAME<E, M> = __VA_ARGS__;                                          \
  template <class E, class M, class S> inline constexpr bool NAME<E, M, S> = (__VA_ARGS__) && __flushes<E, S>;
__TILEWRIGHT_MODIFIERS(__sum_modifiers, __rounds<E, M, __directed, 0>)
__TILEWRIGHT_MODIFIERS(__quotient_modifiers, __rounds<E, M, __directed, __approximate | __full>)
__TILEWRIGHT_MODIFIERS(__root_modifiers, __rounds<E, M, __directed, __approximate>)
__TILEWRIGHT_MODIFIERS(__extremum_modifiers, basic_floating_point_scalar<E> &&__is_nan_propagation_mode<M>)
#undef __TILEWRIGHT_MODIFIERS
template <class E, class... M> inline constexpr bool __no_modifiers = sizeof...(M) == 0;
template <class E, class... M> inline constexpr bool __subnormal_modifiers = sizeof...(M) == 0;
template <class E, class M> inline constexpr bool __subnormal_modifiers<E, M> = __flushes<E, M>;
template <class E, class... M> inline constexpr bool __approximation_modifiers = sizeof...(M) == 0;
template <class E, class M>
inline constexpr bool __approximation_modifiers<E, M> = __rounds<E, M, __full, __approximate>;

// A scan ends with its direction.
template <class E, class... M> inline constexpr bool __scan_modifiers = __sum_modifiers<E, M...>;
template <class E, scan_direction D> inline constexpr bool __scan_modifiers<E, scan_direction_constant<D>> = true;
template <class E, class R, class S, scan_direction D>
inline constexpr bool __scan_modifiers<E, R, S, scan_direction_constant<D>> = __sum_modifiers<E, R, S>;

// ---- conversions -----------------------------------------------------------------------------------

// The rounding modes of a conversion between floats.
template <class From, class To> consteval unsigned __cast_roundings() {
  constexpr __format from = __format_of<From>, to = __format_of<To>;
  constexpr unsigned nearest = __set<rounding_mode::round_ties_to_even>, zero = __set<rounding_mode::round_toward_zero>,
                     up = __set<rounding_mode::round_toward_positive>, away = __set<rounding_mode::round_ties_to_away>;
  switch (to) {
  case __format::e8m0:
    return zero | up;
  case __format::tf32:
    if (__holds(to, from))
      return __directed | away;
    return from == __format::f32 ? nearest | zero | away : nearest | zero;
  case __format::e2m1:
  case __format::e4m3:
  case __format::e5m2:
  case __format::ue5m3:
    return nearest;
  default:
    if (__holds(to, from))
      return __directed | away;
    return from == __format::f64 && to == __format::f32 ? __directed : nearest | zero;
  }
}
template <class From, class To, class... M> inline constexpr bool __cast_modifiers = sizeof...(M) == 0;
template <class From, class To, rounding_mode R>
inline constexpr bool __cast_modifiers<From, To, rounding_mode_constant<R>> =
    floating_point_scalar<From> && floating_point_scalar<To> && (__cast_roundings<From, To>() & __set<R>) != 0;
template <class From, class To, saturation_mode S>
inline constexpr bool __cast_modifiers<From, To, saturation_mode_constant<S>> =
    basic_floating_point_scalar<From> && integral_scalar<To>;

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_MODIFIERS_H
