// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans along a dimension, which is a constant: sum<1>(x) or sum(x, 1_ic). A reduced dimension stays,
// with extent 1.
#ifndef TILEWRIGHT_CUDA_TILE_REDUCE_H
#define TILEWRIGHT_CUDA_TILE_REDUCE_H

#include "shapes.h"

namespace cuda::tiles {
inline namespace __1 {

template <class T, __size D, __size... I> consteval auto __reduced(__numbers<__size, I...>) {
  return shape<(I == D ? 1 : tile_shape_t<T>::static_extent(I))...>();
}
template <class T, __size D>
using reduction_result_t = tile<tile_element_t<T>, decltype(__reduced<T, D>(__first<tile_rank_v<T>>()))>;
template <class T, auto D>
concept __has_dimension = __is_tile<T> && D >= 0 && static_cast<__size>(D) < tile_rank_v<T>;

// A function along dimension D, of tiles of KIND, without modifiers or with those behind the dimension.
#define __TILEWRIGHT_ALONG(NAME, OP, KIND, MODIFIERS, RESULT)                                                          \
  namespace __op {                                                                                                     \
  __TILEWRIGHT_OP(OP)                                                                                                  \
  }                                                                                                                    \
  template <class T, auto D, class... M>                                                                               \
    requires __has_dimension<T, D> && KIND                                                                             \
  ##_tile<T> &&MODIFIERS<tile_element_t<T>, M...> __tile__ auto NAME(T x, integral_constant<D>, M...) {                \
    using R = RESULT;                                                                                                  \
    return __op::OP<R, static_cast<__size>(D), M::value...>(x);                                                        \
  }                                                                                                                    \
  template <auto D, class T>                                                                                           \
    requires __has_dimension<T, D> && KIND                                                                             \
  ##_tile<T> __tile__ auto NAME(T x) {                                                                                 \
    return NAME(x, integral_constant<D>());                                                                            \
  }
#define __TILEWRIGHT_REDUCED reduction_result_t<T, static_cast<__size>(D)>
__TILEWRIGHT_ALONG(sum, reduce_add, arithmetic, __sum_modifiers, __TILEWRIGHT_REDUCED)
__TILEWRIGHT_ALONG(prod, reduce_mul, arithmetic, __sum_modifiers, __TILEWRIGHT_REDUCED)
__TILEWRIGHT_ALONG(reduce_max, reduce_max, arithmetic, __extremum_modifiers, __TILEWRIGHT_REDUCED)
__TILEWRIGHT_ALONG(reduce_min, reduce_min, arithmetic, __extremum_modifiers, __TILEWRIGHT_REDUCED)
__TILEWRIGHT_ALONG(reduce_bitand, reduce_bit_and, integral, __no_modifiers, __TILEWRIGHT_REDUCED)
__TILEWRIGHT_ALONG(reduce_bitor, reduce_bit_or, integral, __no_modifiers, __TILEWRIGHT_REDUCED)
__TILEWRIGHT_ALONG(reduce_bitxor, reduce_bit_xor, integral, __no_modifiers, __TILEWRIGHT_REDUCED)

// Inclusive; forward, unless a direction says otherwise.
__TILEWRIGHT_ALONG(partial_sum, scan_add, arithmetic, __scan_modifiers, T)
__TILEWRIGHT_ALONG(partial_prod, scan_mul, arithmetic, __scan_modifiers, T)
template <auto D, scan_direction S, class T>
  requires __has_dimension<T, D> && arithmetic_tile<T>
__tile__ auto partial_sum(T x) {
  return partial_sum(x, integral_constant<D>(), scan_direction_constant<S>());
}
template <auto D, scan_direction S, class T>
  requires __has_dimension<T, D> && arithmetic_tile<T>
__tile__ auto partial_prod(T x) {
  return partial_prod(x, integral_constant<D>(), scan_direction_constant<S>());
}

// The index of the first of the largest or smallest elements.
#define __TILEWRIGHT_INDICES tile_with_element_t<__TILEWRIGHT_REDUCED, uint32_t>
__TILEWRIGHT_ALONG(max_element, max_element, arithmetic, __no_modifiers, __TILEWRIGHT_INDICES)
__TILEWRIGHT_ALONG(min_element, min_element, arithmetic, __no_modifiers, __TILEWRIGHT_INDICES)
#undef __TILEWRIGHT_ALONG
#undef __TILEWRIGHT_REDUCED
#undef __TILEWRIGHT_INDICES

#define __TILEWRIGHT_QUANTIFIER(NAME, REDUCE)                                                                          \
  template <auto D, class T>                                                                                           \
    requires __has_dimension<T, D> && bool_tile_convertible<T>                                                         \
  __tile__ auto NAME(T x) {                                                                                            \
    return REDUCE<D>(__op::convert<tile_with_element_t<T, bool>>(x));                                                  \
  }                                                                                                                    \
  template <class T, auto D>                                                                                           \
    requires __has_dimension<T, D> && bool_tile_convertible<T>                                                         \
  __tile__ auto NAME(T x, integral_constant<D>) {                                                                      \
    return NAME<D>(x);                                                                                                 \
  }
__TILEWRIGHT_QUANTIFIER(all_of, reduce_bitand)
__TILEWRIGHT_QUANTIFIER(any_of, reduce_bitor)
#undef __TILEWRIGHT_QUANTIFIER

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_REDUCE_H
