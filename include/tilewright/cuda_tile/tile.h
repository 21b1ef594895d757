// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile<E, S>: an immutable array of a static shape, and the concepts about tiles and scalars.
#ifndef TILEWRIGHT_CUDA_TILE_TILE_H
#define TILEWRIGHT_CUDA_TILE_TILE_H

#include "extents.h"
#include "promotion.h"

namespace cuda::tiles {
inline namespace __1 {

template <class E, class S> class tile;

// ---- shapes --------------------------------------------------------------------------------------

inline constexpr __size __most_elements = 16777216;

template <class S> inline constexpr bool __is_static_shape = false;
template <__size... E>
inline constexpr bool __is_static_shape<extents<uint32_t, E...>> = ((E != dynamic_extent) && ...);
template <class S> inline constexpr bool __is_tile_shape = false;
template <__size... E>
  requires((E != dynamic_extent && E <= __most_elements) && ...)
inline constexpr bool __is_tile_shape<extents<uint32_t, E...>> =
    ((E != 0 && (E & (E - 1)) == 0) && ... && true) && (E * ... * 1) <= __most_elements;
template <class S>
concept shape_like = __is_static_shape<S>;
template <class S>
concept tile_shape = __is_tile_shape<S>;

template <class S> inline constexpr __size shape_size_v = 0;
template <__size... E> inline constexpr __size shape_size_v<extents<uint32_t, E...>> = (E * ... * 1);
template <class S, class T>
concept same_shape = shape_like<S> && shape_like<T> && std::is_same_v<S, T>;

// The extent of dimension i, counted from the last one of `rank`; leading ones are 1.
template <class S> consteval __size __extent_in(__size i, __size rank) {
  return i + S::rank() < rank ? 1 : S::static_extent(i + S::rank() - rank);
}
template <class S, class T> consteval bool __broadcasts_both_ways() {
  __size rank = S::rank() > T::rank() ? S::rank() : T::rank();
  for (__size i = 0; i < rank; ++i) {
    __size s = __extent_in<S>(i, rank), t = __extent_in<T>(i, rank);
    if (s != t && s != 1 && t != 1)
      return false;
  }
  return true;
}
template <class S, class T> consteval bool __broadcasts_to() {
  if (S::rank() > T::rank())
    return false;
  for (__size i = 0; i < T::rank(); ++i)
    if (__size s = __extent_in<S>(i, T::rank()); s != 1 && s != T::static_extent(i))
      return false;
  return true;
}
template <class S, class T>
concept shape_broadcast_compatible = tile_shape<S> && tile_shape<T> && __broadcasts_both_ways<S, T>();
template <class S, class T>
concept shape_broadcastable_to = tile_shape<S> && tile_shape<T> && __broadcasts_to<S, T>();
template <class S, class T, __size... I> consteval auto __broadcast_shape(__numbers<__size, I...>) {
  constexpr __size rank = sizeof...(I);
  return shape<(__extent_in<S>(I, rank) > __extent_in<T>(I, rank) ? __extent_in<S>(I, rank)
                                                                  : __extent_in<T>(I, rank))...>();
}
template <class S, class T>
  requires shape_broadcast_compatible<S, T>
using shape_broadcast_t = decltype(__broadcast_shape<S, T>(__first<(S::rank() > T::rank() ? S::rank() : T::rank())>()));

// ---- tiles and what is like them: plain scalars ---------------------------------------------------

template <class T> struct __parts {
  using element = T;
  using shape_type = shape<>;
  static constexpr bool isTile = false;
};
template <class E, class S> struct __parts<tile<E, S>> {
  using element = E;
  using shape_type = S;
  static constexpr bool isTile = true;
};
template <class T> using tile_element_t = typename __parts<std::remove_cv_t<T>>::element;
template <class T> using tile_shape_t = typename __parts<std::remove_cv_t<T>>::shape_type;
template <class T> inline constexpr __size tile_rank_v = tile_shape_t<T>::rank();
template <class T> inline constexpr __size tile_size_v = shape_size_v<tile_shape_t<T>>;
template <class T> inline constexpr bool __is_tile = __parts<std::remove_cv_t<T>>::isTile;

template <class T>
concept tile_like = __is_tile<T> || scalar<T>;
#define __TILEWRIGHT_TILE_CONCEPT(KIND)                                                                                \
  template <class T>                                                                                                   \
  concept KIND##_tile = tile_like<T> && KIND##_scalar<tile_element_t<T>>;
__TILEWRIGHT_TILE_CONCEPT(pointer)
__TILEWRIGHT_TILE_CONCEPT(numeric)
__TILEWRIGHT_TILE_CONCEPT(arithmetic)
__TILEWRIGHT_TILE_CONCEPT(floating_point)
__TILEWRIGHT_TILE_CONCEPT(integral)
__TILEWRIGHT_TILE_CONCEPT(basic_floating_point)
__TILEWRIGHT_TILE_CONCEPT(restricted_floating_point)
#undef __TILEWRIGHT_TILE_CONCEPT

template <class T, class U>
concept broadcast_compatible =
    tile_like<T> && tile_like<U> && shape_broadcast_compatible<tile_shape_t<T>, tile_shape_t<U>>;
template <class T, class U>
concept broadcastable_to = tile_like<T> && tile_like<U> && shape_broadcastable_to<tile_shape_t<T>, tile_shape_t<U>>;

template <class T, class U>
concept tile_convertible_to =
    tile_like<T> && tile_like<U> && scalar_convertible_to<tile_element_t<T>, tile_element_t<U>> &&
    same_shape<tile_shape_t<T>, tile_shape_t<U>>;
template <class T, class U>
concept non_narrowing_tile_convertible_to =
    tile_convertible_to<T, U> && non_narrowing_scalar_convertible_to<tile_element_t<T>, tile_element_t<U>>;
template <class T>
concept bool_tile_convertible = tile_like<T> && scalar_convertible_to<tile_element_t<T>, bool>;

namespace __op {
// All elements, which are constants, through a pointer to the first.
__TILEWRIGHT_OP(constant_tile)
} // namespace __op
// 1 for a dimension that is not there.
template <class S> consteval __size __extent(__size i) {
  return i < S::rank() ? S::static_extent(i) : 1;
}

template <class E, class S> class __TILEWRIGHT_VALUE("tile") tile {
  static_assert(scalar<E>, "the elements of a tile are numbers or pointers to them");
  static_assert(shape_like<S>, "the shape of a tile is ct::shape<...> of constants");
  static_assert(!shape_like<S> || tile_shape<S>,
                "the extents of a tile are powers of two, and it has at most 16777216 elements");
  struct __alignment {
    alignas(E) unsigned char bytes[sizeof(E) * (tile_shape<S> ? shape_size_v<S> : 1)];
  } __storage;

public:
  using element_type = E;
  using shape_type = S;
  using rank_type = __size;
  using index_type = uint32_t;

  tile() = default;
  template <class T>
    requires(!same_as<T, tile> && tile_convertible_to<T, tile>)
  __tile__ explicit(!non_narrowing_tile_convertible_to<T, tile>) tile(const T &from)
      : tile(__op::convert<tile>(from)) {}

  // From arrays of constants, of the shape's extents.
#define __TILEWRIGHT_ARRAY(RANK, BRACKETS, FIRST)                                                                      \
  template <class T = E>                                                                                               \
    requires(S::rank() == RANK && std::is_same_v<T, E>)                                                                \
  __tile__ tile(const T(&elements) BRACKETS) : tile(__op::constant_tile<tile>(&elements FIRST)) {}
  __TILEWRIGHT_ARRAY(1, [__extent<S>(0)], [0])
  __TILEWRIGHT_ARRAY(2, [__extent<S>(0)][__extent<S>(1)], [0][0])
  __TILEWRIGHT_ARRAY(3, [__extent<S>(0)][__extent<S>(1)][__extent<S>(2)], [0][0][0])
  __TILEWRIGHT_ARRAY(4, [__extent<S>(0)][__extent<S>(1)][__extent<S>(2)][__extent<S>(3)], [0][0][0][0])
  __TILEWRIGHT_ARRAY(5,
                     [__extent<S>(0)][__extent<S>(1)][__extent<S>(2)][__extent<S>(3)][__extent<S>(4)], [0][0][0][0][0])
#undef __TILEWRIGHT_ARRAY

  template <scalar T>
    requires(shape_size_v<S> == 1 && scalar_convertible_to<E, T>)
  __tile__ explicit operator T() const {
    return __op::convert<T>(*this);
  }
};
template <scalar T> tile(T) -> tile<T, shape<>>;
template <scalar T, __size A> tile(const T (&)[A]) -> tile<T, shape<A>>;
template <scalar T, __size A, __size B> tile(const T (&)[A][B]) -> tile<T, shape<A, B>>;
template <scalar T, __size A, __size B, __size C> tile(const T (&)[A][B][C]) -> tile<T, shape<A, B, C>>;
template <scalar T, __size A, __size B, __size C, __size D> tile(const T (&)[A][B][C][D]) -> tile<T, shape<A, B, C, D>>;
template <scalar T, __size A, __size B, __size C, __size D, __size F>
tile(const T (&)[A][B][C][D][F]) -> tile<T, shape<A, B, C, D, F>>;

// The same shape with other elements; a scalar stays one.
template <class S, class E, bool IsTile> struct __make {
  using type = tile<E, S>;
};
template <class E> struct __make<shape<>, E, false> {
  using type = E;
};
template <class T, class E> using tile_with_element_t = typename __make<tile_shape_t<T>, E, __is_tile<T>>::type;
// The shape of both, as a scalar where both are.
template <class T, class U, class E>
using mutual_broadcast_t =
    typename __make<shape_broadcast_t<tile_shape_t<T>, tile_shape_t<U>>, E, __is_tile<T> || __is_tile<U>>::type;
template <class T, class S>
using __with_shape = typename __make<S, tile_element_t<T>, __is_tile<T> || (S::rank() > 0)>::type;

// The element of an operation of both: of the tile, where the other one is a scalar.
template <class T, class U> consteval auto __operation_element() {
  if constexpr (__is_tile<T> && !__is_tile<U>)
    return std::type_identity<tile_element_t<T>>();
  else if constexpr (__is_tile<U> && !__is_tile<T>)
    return std::type_identity<tile_element_t<U>>();
  else
    return __common<tile_element_t<T>, tile_element_t<U>>();
}
template <class T, class U> using __operation_element_t = typename decltype(__operation_element<T, U>())::type;

template <class T, class U>
concept __both_arithmetic = arithmetic_tile<T> && arithmetic_tile<U>;
template <class T, class U>
concept __elements_convertible = __operand_of<tile_element_t<T>, __operation_element_t<T, U>> &&
                                 __operand_of<tile_element_t<U>, __operation_element_t<T, U>>;
template <class T, class U>
concept arithmetic_tile_convertible =
    __both_arithmetic<T, U> && broadcast_compatible<T, U> && __elements_convertible<T, U>;
template <class T, class U>
  requires arithmetic_tile_convertible<T, U>
using arithmetic_tile_conversion_t = mutual_broadcast_t<T, U, __operation_element_t<T, U>>;

template <class T, class U> using __comparison_element_t = __common_t<tile_element_t<T>, tile_element_t<U>>;
template <class T, class U>
concept __elements_comparable = __operand_of<tile_element_t<T>, __comparison_element_t<T, U>> &&
                                __operand_of<tile_element_t<U>, __comparison_element_t<T, U>>;
template <class T, class U>
concept arithmetic_tile_comparable =
    __both_arithmetic<T, U> && broadcast_compatible<T, U> && __elements_comparable<T, U>;
template <class T, class U>
  requires arithmetic_tile_comparable<T, U>
using arithmetic_tile_comparison_t = mutual_broadcast_t<T, U, __comparison_element_t<T, U>>;
template <class T, class U>
concept pointer_comparable = pointer_tile<T> && pointer_tile<U> &&
                             (same_as<tile_element_t<T>, tile_element_t<U>> || same_as<tile_element_t<T>, void *> ||
                              same_as<tile_element_t<U>, void *>);

// Small integers become int.
template <class T>
using arithmetic_tile_promotion_t = tile_with_element_t<T, decltype(+std::declval<tile_element_t<T>>())>;

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_TILE_H
