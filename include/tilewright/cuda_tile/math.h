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
    requires MODIFIERS<M...>                                                                                           \
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
__TILEWRIGHT_UNARY(exp, __rounding)
__TILEWRIGHT_UNARY(tanh, __rounding)
__TILEWRIGHT_UNARY(exp2, __subnormals)
__TILEWRIGHT_UNARY(rsqrt, __subnormals)
__TILEWRIGHT_UNARY(sqrt, __rounding_subnormals)
#undef __TILEWRIGHT_UNARY

namespace __op {
__TILEWRIGHT_OP(pow)
__TILEWRIGHT_OP(powi)
__TILEWRIGHT_OP(atan2)
} // namespace __op

template <class T, class U>
  requires basic_floating_point_tile<T> && arithmetic_tile<U> && broadcast_compatible<T, U> &&
           __operand_of<tile_element_t<U>, tile_element_t<T>>
__tile__ auto pow(T base, U exponent) {
  using R = mutual_broadcast_t<T, U, tile_element_t<T>>;
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

template <floating_point_tile T> __tile__ auto isnan(T x) {
  return __op::not_equal<tile_with_element_t<T, bool>>(x, x);
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_MATH_H
