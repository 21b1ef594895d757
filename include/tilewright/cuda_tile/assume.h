// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assumptions: the value as it is, of which the compiler then knows more. Nothing checks them; use the result.
#ifndef TILEWRIGHT_CUDA_TILE_ASSUME_H
#define TILEWRIGHT_CUDA_TILE_ASSUME_H

#include "tile.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
// Constants: the divisor; then the number of elements and the dimension between those that it divides.
__TILEWRIGHT_OP(assume_divisible)
// Constants: whether there is a lower bound, the lower bound, whether there is an upper bound, the upper bound.
__TILEWRIGHT_OP(assume_bounded)
// Constants: the extents of the blocks whose elements are equal.
__TILEWRIGHT_OP(assume_blocked)
} // namespace __op

template <auto D>
concept __power_of_two = D > 0 && (D & (D - 1)) == 0;
template <class T>
concept __counted = integral_tile<T> && !same_as<tile_element_t<T>, bool>;
template <class T>
concept __counted_signed = __counted<T> && std::is_signed_v<tile_element_t<T>>;
template <class T, auto Every, auto Dim>
concept __has_multiples = __is_tile<T> && Every > 0 && Dim >= 0 && static_cast<__size>(Dim) < tile_rank_v<T>;

template <auto A, class T>
  requires pointer_tile<T> && __power_of_two<A>
__tile__ T assume_aligned(T pointers) {
  return __op::assume_divisible<T, A>(pointers);
}
template <auto D, class T>
  requires integral_tile<T> && __power_of_two<D>
__tile__ T assume_divisible(T x) {
  return __op::assume_divisible<T, D>(x);
}
template <auto A, auto Every, auto Dim, class T>
  requires pointer_tile<T> && __power_of_two<A> && __has_multiples<T, Every, Dim>
__tile__ T assume_aligned_strided(T pointers) {
  return __op::assume_divisible<T, A, Every, Dim>(pointers);
}
template <auto D, auto Every, auto Dim, class T>
  requires __counted_signed<T> && __power_of_two<D> && __has_multiples<T, Every, Dim>
__tile__ T assume_divisible_strided(T x) {
  return __op::assume_divisible<T, D, Every, Dim>(x);
}
template <auto L, auto U, class T>
  requires __counted<T> && (L <= U)
__tile__ T assume_bounded(T x) {
  return __op::assume_bounded<T, true, L, true, U>(x);
}
template <auto U, class T>
  requires __counted<T>
__tile__ T assume_bounded_above(T x) {
  return __op::assume_bounded<T, !std::is_signed_v<tile_element_t<T>>, 0, true, U>(x);
}
template <auto L, class T>
  requires __counted_signed<T>
__tile__ T assume_bounded_below(T x) {
  return __op::assume_bounded<T, true, L, false, 0>(x);
}
template <class T, class S>
concept __in_blocks =
    __is_tile<T> && (integral_tile<T> || pointer_tile<T>) && shape_like<S> && S::rank() == tile_rank_v<T>;
template <class T, __size... E> __tile__ T __assume_blocked(T x, extents<uint32_t, E...>) {
  return __op::assume_blocked<T, E...>(x);
}
template <class S, class T>
  requires __in_blocks<T, S>
__tile__ T assume_blocked(T x) {
  return __assume_blocked(x, S());
}
template <class T, class S>
  requires __in_blocks<T, S>
__tile__ T assume_blocked(T x, S blocks) {
  return __assume_blocked(x, blocks);
}

// The constants as arguments.
template <class T, auto A>
  requires pointer_tile<T> && __power_of_two<A>
__tile__ T assume_aligned(T pointers, integral_constant<A>) {
  return assume_aligned<A>(pointers);
}
template <class T, auto D>
  requires integral_tile<T> && __power_of_two<D>
__tile__ T assume_divisible(T x, integral_constant<D>) {
  return assume_divisible<D>(x);
}
template <class T, auto A, auto Every, auto Dim>
  requires pointer_tile<T> && __power_of_two<A> && __has_multiples<T, Every, Dim>
__tile__ T assume_aligned_strided(T pointers, integral_constant<A>, integral_constant<Every>, integral_constant<Dim>) {
  return assume_aligned_strided<A, Every, Dim>(pointers);
}
template <class T, auto D, auto Every, auto Dim>
  requires __counted_signed<T> && __power_of_two<D> && __has_multiples<T, Every, Dim>
__tile__ T assume_divisible_strided(T x, integral_constant<D>, integral_constant<Every>, integral_constant<Dim>) {
  return assume_divisible_strided<D, Every, Dim>(x);
}
template <class T, auto L, auto U>
  requires __counted<T> && (L <= U)
__tile__ T assume_bounded(T x, integral_constant<L>, integral_constant<U>) {
  return assume_bounded<L, U>(x);
}
template <class T, auto U>
  requires __counted<T>
__tile__ T assume_bounded_above(T x, integral_constant<U>) {
  return assume_bounded_above<U>(x);
}
template <class T, auto L>
  requires __counted_signed<T>
__tile__ T assume_bounded_below(T x, integral_constant<L>) {
  return assume_bounded_below<L>(x);
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_ASSUME_H
