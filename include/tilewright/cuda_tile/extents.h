// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of numbers of which each is a constant of the type or a value: extents, strides and offsets; and permutations.
#ifndef TILEWRIGHT_CUDA_TILE_EXTENTS_H
#define TILEWRIGHT_CUDA_TILE_EXTENTS_H

#include "constants.h"

namespace cuda::tiles {
inline namespace __1 {

inline constexpr __size dynamic_extent = static_cast<__size>(-1);
inline constexpr __size dynamic_stride = static_cast<__size>(-1);
inline constexpr __difference dynamic_offset =
    static_cast<__difference>(static_cast<__size>(1) << (sizeof(__size) * 8 - 1));

// The N of T are constants, or `Dynamic` where a value is stored.
template <class T, auto Dynamic, auto... N> class __number_list {
  static constexpr __size __rank = sizeof...(N);
  static constexpr __size __dynamic = (static_cast<__size>(N == Dynamic) + ... + 0);
  static constexpr decltype(Dynamic) __static[__rank + 1] = {N..., 0};
  struct __places {
    __size of[__rank + 1];
  };
  static consteval __places __find() {
    __places result{};
    for (__size i = 0, next = 0; i < __rank; ++i) {
      result.of[i] = next;
      next += __static[i] == Dynamic;
    }
    return result;
  }
  static constexpr __places __place = __find();
  T __values[__dynamic ? __dynamic : 1] = {};

protected:
  __tile__ constexpr __number_list() = default;
  template <class... V> __tile__ constexpr explicit __number_list(V... values) {
    if constexpr (sizeof...(V) == __dynamic) {
      __size i = 0;
      ((__values[i++] = static_cast<T>(values)), ...);
    } else {
      __size i = 0;
      (__set(i++, static_cast<T>(values)), ...);
    }
  }
  __tile__ constexpr void __set(__size i, T value) {
    if (__static[i] == Dynamic)
      __values[__place.of[i]] = value;
  }
  __tile__ static constexpr auto __static_at(__size i) { return __static[i]; }
  __tile__ constexpr T __at(__size i) const {
    return __static[i] == Dynamic ? __values[__place.of[i]] : static_cast<T>(__static[i]);
  }

public:
  using rank_type = __size;
  __tile__ static constexpr rank_type rank() noexcept { return __rank; }
  __tile__ static constexpr rank_type rank_dynamic() noexcept { return __dynamic; }
};

template <class V, auto Dynamic> inline constexpr auto __constant_or = Dynamic;
template <auto V, auto Dynamic>
inline constexpr auto __constant_or<integral_constant<V>, Dynamic> = static_cast<decltype(Dynamic)>(V);

// Whether a list is made from that many values: all, or the dynamic ones.
template <__size Count, auto Dynamic, auto... N>
inline constexpr bool __counts = Count == sizeof...(N) || Count == (static_cast<__size>(N == Dynamic) + ... + 0);

#define __TILEWRIGHT_NUMBER_LIST(LIST, TYPE, NUMBER, DYNAMIC, INDEX, MEMBER, DEDUCED)                                  \
  template <class TYPE, NUMBER... N> class LIST : public __number_list<TYPE, DYNAMIC, N...> {                          \
    using __base = __number_list<TYPE, DYNAMIC, N...>;                                                                 \
                                                                                                                       \
  public:                                                                                                              \
    using INDEX = TYPE;                                                                                                \
    using rank_type = __size;                                                                                          \
    __tile__ constexpr LIST() = default;                                                                               \
    template <class... V>                                                                                              \
      requires(sizeof...(V) != 0 && __counts<sizeof...(V), DYNAMIC, N...> && (std::is_convertible_v<V, TYPE> && ...))  \
    __tile__ constexpr explicit LIST(V... values) : __base(values...) {}                                               \
    __tile__ static constexpr NUMBER static_##MEMBER(rank_type i) noexcept { return __base::__static_at(i); }          \
    __tile__ constexpr TYPE MEMBER(rank_type i) const noexcept { return __base::__at(i); }                             \
  };                                                                                                                   \
  template <class... V> LIST(V...) -> LIST<DEDUCED, __constant_or<V, DYNAMIC>...>;                                     \
  template <class A, NUMBER... N, class B, NUMBER... M>                                                                \
  __tile__ constexpr bool LIST##_equal(const LIST<A, N...> &a, const LIST<B, M...> &b) {                               \
    if constexpr (sizeof...(N) != sizeof...(M)) {                                                                      \
      return false;                                                                                                    \
    } else {                                                                                                           \
      return [&]<__size... I>(__numbers<__size, I...>) {                                                               \
        return ((a.MEMBER(I) == b.MEMBER(I)) && ... && true);                                                          \
      }(__first<sizeof...(N)>());                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  template <class A, NUMBER... N, class B, NUMBER... M>                                                                \
  __tile__ constexpr bool operator==(const LIST<A, N...> &a, const LIST<B, M...> &b) {                                 \
    return LIST##_equal(a, b);                                                                                         \
  }

__TILEWRIGHT_NUMBER_LIST(extents, I, __size, dynamic_extent, index_type, extent, uint32_t)
__TILEWRIGHT_NUMBER_LIST(strides, S, __size, dynamic_stride, stride_type, stride, uint32_t)
__TILEWRIGHT_NUMBER_LIST(offsets, O, __difference, dynamic_offset, offset_type, offset, int32_t)
#undef __TILEWRIGHT_NUMBER_LIST

template <__size... E> using shape = extents<uint32_t, E...>;

template <class T>
concept extents_like = requires(const T &t, __size i) {
  typename T::index_type;
  { T::rank() } -> __converts_to<__size>;
  { T::static_extent(i) } -> __converts_to<__size>;
  t.extent(i);
};

// Result dimension i is source dimension mapping(i).
template <__size... M> struct dimension_map {
  __tile__ static constexpr __size rank() noexcept { return sizeof...(M); }
  __tile__ static constexpr __size mapping(__size i) noexcept {
    constexpr __size all[sizeof...(M) + 1] = {M..., 0};
    return all[i];
  }
  static constexpr bool __is_permutation = [] {
    bool seen[sizeof...(M) + 1] = {};
    __size all[sizeof...(M) + 1] = {M..., 0};
    for (__size i = 0; i < sizeof...(M); ++i) {
      if (all[i] >= sizeof...(M) || seen[all[i]])
        return false;
      seen[all[i]] = true;
    }
    return true;
  }();
  static_assert(__is_permutation, "a dimension_map has each dimension once");
};
template <class... V> dimension_map(V...) -> dimension_map<static_cast<__size>(V::value)...>;

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_EXTENTS_H
