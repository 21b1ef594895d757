// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles from nothing, from parts of tiles, and under other shapes and element types.
#ifndef TILEWRIGHT_CUDA_TILE_SHAPES_H
#define TILEWRIGHT_CUDA_TILE_SHAPES_H

#include "arithmetic.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
__TILEWRIGHT_OP(iota)
__TILEWRIGHT_OP(reshape)
__TILEWRIGHT_OP(permute)
__TILEWRIGHT_OP(cat)
__TILEWRIGHT_OP(extract)
__TILEWRIGHT_OP(insert)
__TILEWRIGHT_OP(bitcast)
__TILEWRIGHT_OP(repack)
__TILEWRIGHT_OP(block_id)
__TILEWRIGHT_OP(num_blocks)
} // namespace __op

// As C++ converts without a cast: not between classes of numbers.
template <class V, class E>
concept __fills = scalar_convertible_to<V, E> &&
                  (same_as<V, E> || (!restricted_floating_point_scalar<V> && !restricted_floating_point_scalar<E> &&
                                     !(__is_number_class<V> && __is_number_class<E>)));
template <tile_like T, scalar V>
  requires __fills<V, tile_element_t<T>>
__tile__ T full(V value) {
  return __op::convert<T>(value);
}
template <pointer_tile T> __tile__ T full(decltype(nullptr)) {
  return __op::convert<T>(tile_element_t<T>(nullptr));
}
template <numeric_tile T>
  requires(!same_as<tile_element_t<T>, __nv_fp8_e8m0>)
__tile__ T zeros() {
  return __op::convert<T>(0);
}
template <numeric_tile T> __tile__ T ones() {
  return __op::convert<T>(1);
}
// 0, 1, 2, ... in row-major order.
template <integral_tile T>
  requires(!__is_tile<T> || !same_as<tile_element_t<T>, bool>)
__tile__ T iota() {
  return __op::iota<T>();
}

template <tile_shape S, tile_like T>
  requires(shape_size_v<S> == tile_size_v<T>)
__tile__ auto reshape(T x) {
  return __op::reshape<__with_shape<T, S>>(x);
}
template <tile_like T, tile_shape S>
  requires(shape_size_v<S> == tile_size_v<T>)
__tile__ auto reshape(T x, S) {
  return __op::reshape<__with_shape<T, S>>(x);
}
template <tile_shape S, tile_like T>
  requires shape_broadcastable_to<tile_shape_t<T>, S>
__tile__ auto broadcast(T x) {
  return __op::convert<__with_shape<T, S>>(x);
}
template <tile_like T, tile_shape S>
  requires shape_broadcastable_to<tile_shape_t<T>, S>
__tile__ auto broadcast(T x, S) {
  return __op::convert<__with_shape<T, S>>(x);
}

// ---- permutations ---------------------------------------------------------------------------------

template <class T, class Map, __size... I> consteval auto __permuted(__numbers<__size, I...>) {
  return __make<shape<tile_shape_t<T>::static_extent(Map::mapping(I))...>, tile_element_t<T>, true>();
}
template <class T, class Map>
using tile_permutation_t = typename decltype(__permuted<T, Map>(__first<tile_rank_v<T>>()))::type;

template <class Map, class T, __size... I> __tile__ auto __permute(T x, __numbers<__size, I...>) {
  return __op::permute<tile_permutation_t<T, Map>, Map::mapping(I)...>(x);
}
template <class Map, class T>
  requires(__is_tile<T> && Map::rank() == tile_rank_v<T>)
__tile__ auto permute(T x) {
  return __permute<Map>(x, __first<tile_rank_v<T>>());
}
template <class T, class Map>
  requires(__is_tile<T> && Map::rank() == tile_rank_v<T>)
__tile__ auto permute(T x, Map) {
  return __permute<Map>(x, __first<tile_rank_v<T>>());
}

// Dimensions 0 and 1 change places.
template <__size Rank, class = __first<Rank>> struct __transposition;
template <__size Rank, __size... I> struct __transposition<Rank, __numbers<__size, I...>> {
  using type = dimension_map<(I < 2 ? 1 - I : I)...>;
};
template <class T> using tile_transpose_t = tile_permutation_t<T, typename __transposition<tile_rank_v<T>>::type>;
template <class T>
  requires(__is_tile<T> && tile_rank_v<T> >= 2)
__tile__ auto transpose(T x) {
  return permute<typename __transposition<tile_rank_v<T>>::type>(x);
}

// ---- parts ----------------------------------------------------------------------------------------

template <class T, __size D, __size... I> consteval auto __doubled(__numbers<__size, I...>) {
  return __make<shape<tile_shape_t<T>::static_extent(I) * (I == D ? 2 : 1)...>, tile_element_t<T>, true>();
}
template <class T, class U, __size D>
  requires same_as<T, U>
using concatenation_t = typename decltype(__doubled<T, D>(__first<tile_rank_v<T>>()))::type;
template <auto D, class T>
  requires(__is_tile<T> && D >= 0 && static_cast<__size>(D) < tile_rank_v<T>)
__tile__ auto cat(T a, T b) {
  return __op::cat<concatenation_t<T, T, static_cast<__size>(D)>, static_cast<__size>(D)>(a, b);
}
template <class T, auto D>
  requires(__is_tile<T> && D >= 0 && static_cast<__size>(D) < tile_rank_v<T>)
__tile__ auto cat(T a, T b, integral_constant<D>) {
  return cat<D>(a, b);
}

template <class S, class T> consteval bool __divides() {
  if (S::rank() != T::rank())
    return false;
  for (__size i = 0; i < S::rank(); ++i)
    if (T::static_extent(i) % S::static_extent(i) != 0)
      return false;
  return true;
}
template <class S, class T>
concept extractable_from = tile_shape<S> && tile_like<T> && __divides<S, tile_shape_t<T>>();
// The part of that shape whose place in the grid of such parts is `indices`.
template <class T, class S, integral... I>
  requires extractable_from<S, T> && (sizeof...(I) == S::rank())
__tile__ auto extract(T x, S, I... indices) {
  return __op::extract<tile<tile_element_t<T>, S>>(x, __op::convert<int>(indices)...);
}
template <class T, class U, integral... I>
  requires extractable_from<tile_shape_t<U>, T> && (sizeof...(I) == tile_rank_v<T>) &&
           non_narrowing_scalar_convertible_to<tile_element_t<U>, tile_element_t<T>>
__tile__ T insert(T destination, U source, I... indices) {
  return __op::insert<T>(__op::convert<tile<tile_element_t<T>, tile_shape_t<U>>>(source), destination,
                         __op::convert<int>(indices)...);
}

// ---- element types ----------------------------------------------------------------------------------

template <scalar E, tile_like T, class... M>
  requires scalar_convertible_to<tile_element_t<T>, E> && __cast_modifiers<tile_element_t<T>, E, M...>
__tile__ auto element_cast(T x, M...) {
  return __op::convert<tile_with_element_t<T, E>, M::value...>(x);
}
// The bits of an element: nothing for tf32, which is never in memory as such.
template <class E>
inline constexpr __size __bits = same_as<E, __nv_tf32>       ? 0
                                 : same_as<E, __nv_fp4_e2m1> ? 4
                                                             : 8 * sizeof(E);
template <scalar E, tile_like T>
  requires(__bits<E> == __bits<tile_element_t<T>> && __bits<E> >= 8)
__tile__ auto element_bitcast(T x) {
  return __op::bitcast<tile_with_element_t<T, E>>(x);
}

// The bits along dimension D as elements of E; the first is in the lowest bits.
template <class E, class T, __size D, __size... I> consteval auto __repacked(__numbers<__size, I...>) {
  return tile<E, shape<(I == D ? tile_shape_t<T>::static_extent(I) * __bits<tile_element_t<T>> / __bits<E>
                               : tile_shape_t<T>::static_extent(I))...>>();
}
template <class E, class T, auto D>
concept __repackable =
    __is_tile<T> && numeric_scalar<E> && __bits<E> != 0 && __bits<tile_element_t<T>> != 0 &&
    (same_as<E, bool> || !same_as<tile_element_t<T>, bool>) && D >= 0 && static_cast<__size>(D) < tile_rank_v<T> &&
    tile_shape_t<T>::static_extent(D) * __bits<tile_element_t<T>> % __bits<E> == 0;
template <class E, auto D, class T>
  requires __repackable<E, T, D>
__tile__ auto repack(T x) {
  using R = decltype(__repacked<E, T, static_cast<__size>(D)>(__first<tile_rank_v<T>>()));
  return __op::repack<R, static_cast<__size>(D)>(x);
}
template <class E, class T, auto D>
  requires __repackable<E, T, D>
__tile__ auto repack(T x, integral_constant<D>) {
  return repack<E, D>(x);
}

// ---- the grid -----------------------------------------------------------------------------------------

__tile__ inline uint3 bid() {
  return {__op::block_id<unsigned, 0>(), __op::block_id<unsigned, 1>(), __op::block_id<unsigned, 2>()};
}
__tile__ inline dim3 num_blocks() {
  return {__op::num_blocks<unsigned, 0>(), __op::num_blocks<unsigned, 1>(), __op::num_blocks<unsigned, 2>()};
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_SHAPES_H
