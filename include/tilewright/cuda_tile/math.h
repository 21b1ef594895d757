// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of floats, element by element.
#ifndef TILEWRIGHT_CUDA_TILE_MATH_H
#define TILEWRIGHT_CUDA_TILE_MATH_H

#include "arithmetic.h"

namespace cuda::tiles {
inline namespace __1 {

#define __TILEWRIGHT_UNARY(NAME, MODIFIERS)                                                                            \
  namespace __op {                                                                                                     \
  __TILEWRIGHT_OP(NAME)                                                                                                \
  }                                                                                                                    \
  template <basic_floating_point_tile T, class... M>                                                                   \
    requires MODIFIERS<tile_element_t<T>, M...>                                                                        \
  __tile__ T NAME(T x, M...) {                                                                                         \
    return __op::NAME<T, M::value...>(x);                                                                              \
  }
__TILEWRIGHT_UNARY(ceil, __no_modifiers)
__TILEWRIGHT_UNARY(floor, __no_modifiers)
__TILEWRIGHT_UNARY(sin, __no_modifiers)
__TILEWRIGHT_UNARY(cos, __no_modifiers)
__TILEWRIGHT_UNARY(tan, __no_modifiers)
__TILEWRIGHT_UNARY(sinh, __no_modifiers)
__TILEWRIGHT_UNARY(cosh, __no_modifiers)
__TILEWRIGHT_UNARY(log, __no_modifiers)
__TILEWRIGHT_UNARY(log2, __no_modifiers)
__TILEWRIGHT_UNARY(exp, __approximation_modifiers)
__TILEWRIGHT_UNARY(tanh, __approximation_modifiers)
__TILEWRIGHT_UNARY(exp2, __subnormal_modifiers)
__TILEWRIGHT_UNARY(rsqrt, __subnormal_modifiers)
__TILEWRIGHT_UNARY(sqrt, __root_modifiers)
#undef __TILEWRIGHT_UNARY
// Those of one modifier take it as a template argument, too.
#define __TILEWRIGHT_UNARY(NAME, MODIFIER)                                                                             \
  template <MODIFIER V, basic_floating_point_tile T> __tile__ auto NAME(T x) {                                         \
    return NAME(x, MODIFIER##_constant<V>());                                                                          \
  }
__TILEWRIGHT_UNARY(exp, rounding_mode)
__TILEWRIGHT_UNARY(tanh, rounding_mode)
__TILEWRIGHT_UNARY(sqrt, rounding_mode)
__TILEWRIGHT_UNARY(exp2, subnormals_rounding_mode)
__TILEWRIGHT_UNARY(rsqrt, subnormals_rounding_mode)
#undef __TILEWRIGHT_UNARY

namespace __op {
__TILEWRIGHT_OP(pow)
__TILEWRIGHT_OP(powi)
__TILEWRIGHT_OP(atan2)
} // namespace __op

template <class T, class U>
  requires basic_floating_point_tile<T> && arithmetic_tile_convertible<T, U> &&
           basic_floating_point_tile<arithmetic_tile_conversion_t<T, U>>
__tile__ auto pow(T base, U exponent) {
  using R = arithmetic_tile_conversion_t<T, U>;
  return __op::pow<R>(__op::convert<R>(base), __op::convert<R>(exponent));
}
template <class T, class U>
  requires basic_floating_point_tile<T> && integral_tile<U> && broadcast_compatible<T, U> &&
           (same_as<tile_element_t<U>, bool> || (std::is_signed_v<tile_element_t<U>> && sizeof(tile_element_t<U>) <= 4))
__tile__ auto powi(T base, U exponent) {
  using R = mutual_broadcast_t<T, U, tile_element_t<T>>;
  return __op::powi<R>(__op::convert<R>(base), __op::convert<tile_with_element_t<R, int>>(exponent));
}
template <class T, class U>
  requires arithmetic_tile_convertible<T, U> && basic_floating_point_tile<arithmetic_tile_conversion_t<T, U>>
__tile__ auto atan2(T y, U x) {
  using R = arithmetic_tile_conversion_t<T, U>;
  return __op::atan2<R>(__op::convert<R>(y), __op::convert<R>(x));
}

// Formats that have no comparisons are compared as float.
template <class T>
using __compared_t = std::conditional_t<basic_floating_point_tile<T>, T, tile_with_element_t<T, float>>;
template <floating_point_tile T> __tile__ auto isnan(T x) {
  auto y = __op::convert<__compared_t<T>>(x);
  return __op::not_equal<tile_with_element_t<T, bool>>(y, y);
}
template <floating_point_tile T> __tile__ auto isinf(T x) {
  using C = __compared_t<T>;
  return __op::equal<tile_with_element_t<T, bool>>(__op::abs<C>(__op::convert<C>(x)),
                                                   __op::convert<C>(__builtin_huge_val()));
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_MATH_H
