// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of pointers: arithmetic, loads and stores.
#ifndef TILEWRIGHT_CUDA_TILE_MEMORY_H
#define TILEWRIGHT_CUDA_TILE_MEMORY_H

#include "arithmetic.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
__TILEWRIGHT_OP(offset)
__TILEWRIGHT_OP(pointer_difference)
__TILEWRIGHT_OP(load)
__TILEWRIGHT_OP(store)
} // namespace __op

template <class T> using __pointee_t = std::remove_pointer_t<tile_element_t<T>>;
template <class T> using tile_load_t = tile_with_element_t<T, std::remove_cv_t<__pointee_t<T>>>;
template <class T>
concept loadable_tile = pointer_tile<T> && !std::is_void_v<__pointee_t<T>>;
template <class T>
concept storeable_tile = loadable_tile<T> && !std::is_const_v<__pointee_t<T>>;

// ---- pointers, moved by numbers of elements ---------------------------------------------------------

template <class T, class U>
  requires __one_is_tile<T, U> && loadable_tile<T> && integral_tile<U> && broadcast_compatible<T, U>
__tile__ auto operator+(T pointers, U offset) {
  using R = mutual_broadcast_t<T, U, tile_element_t<T>>;
  return __op::offset<R>(__op::convert<R>(pointers), __op::convert<tile_with_element_t<R, tile_element_t<U>>>(offset));
}
template <class T, class U>
  requires __one_is_tile<T, U> && loadable_tile<U> && integral_tile<T> && broadcast_compatible<T, U>
__tile__ auto operator+(T offset, U pointers) {
  return pointers + offset;
}
template <class T, class U>
  requires __one_is_tile<T, U> && loadable_tile<T> && integral_tile<U> && broadcast_compatible<T, U>
__tile__ auto operator-(T pointers, U offset) {
  using R = mutual_broadcast_t<T, U, tile_element_t<T>>;
  return pointers + __op::neg<tile_with_element_t<R, int64_t>>(__op::convert<tile_with_element_t<R, int64_t>>(offset));
}
template <class T, class U>
  requires __one_is_tile<T, U> && loadable_tile<T> && same_as<tile_element_t<T>, tile_element_t<U>> &&
           broadcast_compatible<T, U>
__tile__ auto operator-(T a, U b) {
  using R = mutual_broadcast_t<T, U, int64_t>;
  constexpr int64_t size = sizeof(__pointee_t<T>);
  return __op::div<R>(__op::sub<R>(__op::convert<R>(a), __op::convert<R>(b)), __op::convert<R>(size));
}

template <class T, class M>
concept __masks = bool_tile_convertible<M> && broadcastable_to<M, T>;
template <class T, class P>
concept __pads =
    broadcastable_to<P, T> && non_narrowing_scalar_convertible_to<tile_element_t<P>, tile_element_t<tile_load_t<T>>>;

// ---- loads and stores --------------------------------------------------------------------------------

template <loadable_tile T> __tile__ auto load(T pointers) {
  return __op::load<tile_load_t<T>>(pointers);
}
template <loadable_tile T, class M>
  requires __masks<T, M>
__tile__ auto load_masked(T pointers, M mask) {
  using R = tile_load_t<T>;
  return __op::load<R>(pointers, __op::convert<tile_with_element_t<R, bool>>(mask));
}
template <loadable_tile T, class M, class P>
  requires __masks<T, M> && __pads<T, P>
__tile__ auto load_masked(T pointers, M mask, P padding) {
  using R = tile_load_t<T>;
  return __op::load<R>(pointers, __op::convert<tile_with_element_t<R, bool>>(mask), __op::convert<R>(padding));
}
template <storeable_tile T, class V>
  requires non_narrowing_tile_convertible_to<V, tile_load_t<T>>
__tile__ void store(T pointers, V values) {
  __op::store<void>(pointers, __op::convert<tile_load_t<T>>(values));
}
template <storeable_tile T, class V, class M>
  requires non_narrowing_tile_convertible_to<V, tile_load_t<T>> && __masks<T, M>
__tile__ void store_masked(T pointers, V values, M mask) {
  __op::store<void>(pointers, __op::convert<tile_load_t<T>>(values), __op::convert<tile_with_element_t<T, bool>>(mask));
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_MEMORY_H
