// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// irange: the integers of a loop. A kernel's loop over one is a `for` of Tile IR.
#ifndef TILEWRIGHT_CUDA_TILE_IRANGE_H
#define TILEWRIGHT_CUDA_TILE_IRANGE_H

#include "promotion.h"

namespace cuda::tiles {
inline namespace __1 {

template <integral T> class irange_iterator {
  T __value, __step;

public:
  using value_type = T;
  __tile__ constexpr irange_iterator(T value, T step) : __value(value), __step(step) {}
  __tile__ constexpr T operator*() const { return __value; }
  __tile__ constexpr irange_iterator &operator++() {
    __value += __step;
    return *this;
  }
  __tile__ constexpr bool operator==(const irange_iterator &other) const { return __value == other.__value; }
};

// From lower_bound() up by step(), below upper_bound(). The step is positive.
template <integral T> class __TILEWRIGHT_ANNOTATE("tilewright.range") irange {
  T __lower, __upper, __step;

public:
  using value_type = T;
  using iterator = irange_iterator<T>;
  __tile__ constexpr irange(T lower, T upper, T step = 1) : __lower(lower), __upper(upper), __step(step) {}
  __tile__ constexpr T lower_bound() const { return __lower; }
  __tile__ constexpr T upper_bound() const { return __upper; }
  __tile__ constexpr T step() const { return __step; }
  __tile__ constexpr bool empty() const { return !(__lower < __upper); }
  __tile__ constexpr T size() const { return empty() ? T(0) : T((__upper - __lower + __step - 1) / __step); }
  __tile__ constexpr iterator begin() const { return iterator(__lower, __step); }
  __tile__ constexpr iterator end() const { return iterator(T(__lower + size() * __step), __step); }
};
template <integral T, integral U> irange(T, U) -> irange<__common_t<T, U>>;
template <integral T, integral U, integral V> irange(T, U, V) -> irange<__common_t<__common_t<T, U>, V>>;

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_IRANGE_H
