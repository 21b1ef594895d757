// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses through tiles of pointers. The memory order is always given, and the scope if it is not the system:
// as template arguments, atomic_add<memory_order::relaxed>(p, v), or at the end, atomic_add(p, v,
// memory_order_relaxed_t{}).
#ifndef TILEWRIGHT_CUDA_TILE_ATOMICS_H
#define TILEWRIGHT_CUDA_TILE_ATOMICS_H

#include "memory.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
__TILEWRIGHT_OP(atomic_load)
__TILEWRIGHT_OP(atomic_store)
__TILEWRIGHT_OP(atomic_compare_exchange)
} // namespace __op

template <class E>
concept __atomic_integer = integral_scalar<E> && (sizeof(E) == 4 || sizeof(E) == 8);
template <class E>
concept __atomic_exchange = __atomic_integer<E> || same_as<E, float> || same_as<E, double>;
template <class E>
concept __atomic_sum = __atomic_integer<E> || basic_floating_point_scalar<E>;
template <class T> using __held_t = tile_element_t<tile_load_t<T>>;
template <class T, class V>
concept __stores = storeable_tile<T> && non_narrowing_tile_convertible_to<V, tile_load_t<T>>;

// NAME(p, v[, order[, scope]]) and NAME_masked(p, v, mask, ...), which give the values from before.
#define __TILEWRIGHT_ATOMIC(NAME, ELEMENTS)                                                                            \
  namespace __op {                                                                                                     \
  __TILEWRIGHT_OP(NAME)                                                                                                \
  }                                                                                                                    \
  template <memory_order O, thread_scope S = thread_scope::system, class T, class V>                                   \
    requires __stores<T, V> && ELEMENTS<__held_t<T>>                                                                   \
  __tile__ auto NAME(T pointers, V values) {                                                                           \
    using R = tile_load_t<T>;                                                                                          \
    return __op::NAME<R, O, S>(pointers, __op::convert<R>(values));                                                    \
  }                                                                                                                    \
  template <class T, class V, memory_order O, thread_scope S = thread_scope::system>                                   \
    requires __stores<T, V> && ELEMENTS<__held_t<T>>                                                                   \
  __tile__ auto NAME(T pointers, V values, memory_order_constant<O>, thread_scope_constant<S> = {}) {                  \
    return NAME<O, S>(pointers, values);                                                                               \
  }                                                                                                                    \
  template <memory_order O, thread_scope S = thread_scope::system, class T, class V, class M>                          \
    requires __stores<T, V> && ELEMENTS<__held_t<T>> && __masks<T, M>                                                  \
  __tile__ auto NAME##_masked(T pointers, V values, M mask) {                                                          \
    using R = tile_load_t<T>;                                                                                          \
    return __op::NAME<R, O, S>(pointers, __op::convert<R>(values), __op::convert<tile_with_element_t<R, bool>>(mask)); \
  }                                                                                                                    \
  template <class T, class V, class M, memory_order O, thread_scope S = thread_scope::system>                          \
    requires __stores<T, V> && ELEMENTS<__held_t<T>> && __masks<T, M>                                                  \
  __tile__ auto NAME##_masked(T pointers, V values, M mask, memory_order_constant<O>, thread_scope_constant<S> = {}) { \
    return NAME##_masked<O, S>(pointers, values, mask);                                                                \
  }
__TILEWRIGHT_ATOMIC(atomic_add, __atomic_sum)
__TILEWRIGHT_ATOMIC(atomic_sub, __atomic_sum)
__TILEWRIGHT_ATOMIC(atomic_and, __atomic_integer)
__TILEWRIGHT_ATOMIC(atomic_or, __atomic_integer)
__TILEWRIGHT_ATOMIC(atomic_xor, __atomic_integer)
__TILEWRIGHT_ATOMIC(atomic_max, __atomic_integer)
__TILEWRIGHT_ATOMIC(atomic_min, __atomic_integer)
__TILEWRIGHT_ATOMIC(atomic_xchg, __atomic_exchange)
#undef __TILEWRIGHT_ATOMIC

template <memory_order O, thread_scope S = thread_scope::system, class T, class C, class V>
  requires __stores<T, C> && __stores<T, V> && __atomic_exchange<__held_t<T>>
__tile__ auto atomic_compare_exchange(T pointers, C compared, V values) {
  using R = tile_load_t<T>;
  return __op::atomic_compare_exchange<R, O, S>(pointers, __op::convert<R>(compared), __op::convert<R>(values));
}
template <class T, class C, class V, memory_order O, thread_scope S = thread_scope::system>
  requires __stores<T, C> && __stores<T, V> && __atomic_exchange<__held_t<T>>
__tile__ auto atomic_compare_exchange(T pointers, C compared, V values, memory_order_constant<O>,
                                      thread_scope_constant<S> = {}) {
  return atomic_compare_exchange<O, S>(pointers, compared, values);
}
template <memory_order O, thread_scope S = thread_scope::system, class T, class C, class V, class M>
  requires __stores<T, C> && __stores<T, V> && __atomic_exchange<__held_t<T>> && __masks<T, M>
__tile__ auto atomic_compare_exchange_masked(T pointers, C compared, V values, M mask) {
  using R = tile_load_t<T>;
  return __op::atomic_compare_exchange<R, O, S>(pointers, __op::convert<R>(compared), __op::convert<R>(values),
                                                __op::convert<tile_with_element_t<R, bool>>(mask));
}
template <class T, class C, class V, class M, memory_order O, thread_scope S = thread_scope::system>
  requires __stores<T, C> && __stores<T, V> && __atomic_exchange<__held_t<T>> && __masks<T, M>
__tile__ auto atomic_compare_exchange_masked(T pointers, C compared, V values, M mask, memory_order_constant<O>,
                                             thread_scope_constant<S> = {}) {
  return atomic_compare_exchange_masked<O, S>(pointers, compared, values, mask);
}

// ---- loads and stores with an order ----------------------------------------------------------------------

template <memory_order O>
concept __load_order = O == memory_order::relaxed || O == memory_order::acquire;
template <memory_order O>
concept __store_order = O == memory_order::relaxed || O == memory_order::release;

template <memory_order O, thread_scope S = thread_scope::system, loadable_tile T>
  requires __load_order<O>
__tile__ auto atomic_load(T pointers) {
  return __op::atomic_load<tile_load_t<T>, O, S>(pointers);
}
template <loadable_tile T, memory_order O, thread_scope S = thread_scope::system>
  requires __load_order<O>
__tile__ auto atomic_load(T pointers, memory_order_constant<O>, thread_scope_constant<S> = {}) {
  return atomic_load<O, S>(pointers);
}
template <memory_order O, thread_scope S = thread_scope::system, loadable_tile T, class M>
  requires __load_order<O> && __masks<T, M>
__tile__ auto atomic_load_masked(T pointers, M mask) {
  using R = tile_load_t<T>;
  return __op::atomic_load<R, O, S>(pointers, __op::convert<tile_with_element_t<R, bool>>(mask));
}
template <memory_order O, thread_scope S = thread_scope::system, loadable_tile T, class M, class P>
  requires __load_order<O> && __masks<T, M> && __pads<T, P>
__tile__ auto atomic_load_masked(T pointers, M mask, P padding) {
  using R = tile_load_t<T>;
  return __op::atomic_load<R, O, S>(pointers, __op::convert<tile_with_element_t<R, bool>>(mask),
                                    __op::convert<R>(padding));
}
template <loadable_tile T, class M, memory_order O, thread_scope S = thread_scope::system>
  requires __load_order<O> && __masks<T, M>
__tile__ auto atomic_load_masked(T pointers, M mask, memory_order_constant<O>, thread_scope_constant<S> = {}) {
  return atomic_load_masked<O, S>(pointers, mask);
}
template <loadable_tile T, class M, class P, memory_order O, thread_scope S = thread_scope::system>
  requires __load_order<O> && __masks<T, M> && __pads<T, P>
__tile__ auto atomic_load_masked(T pointers, M mask, P padding, memory_order_constant<O>,
                                 thread_scope_constant<S> = {}) {
  return atomic_load_masked<O, S>(pointers, mask, padding);
}

template <memory_order O, thread_scope S = thread_scope::system, class T, class V>
  requires __stores<T, V> && __store_order<O>
__tile__ void atomic_store(T pointers, V values) {
  __op::atomic_store<void, O, S>(pointers, __op::convert<tile_load_t<T>>(values));
}
template <class T, class V, memory_order O, thread_scope S = thread_scope::system>
  requires __stores<T, V> && __store_order<O>
__tile__ void atomic_store(T pointers, V values, memory_order_constant<O>, thread_scope_constant<S> = {}) {
  atomic_store<O, S>(pointers, values);
}
template <memory_order O, thread_scope S = thread_scope::system, class T, class V, class M>
  requires __stores<T, V> && __store_order<O> && __masks<T, M>
__tile__ void atomic_store_masked(T pointers, V values, M mask) {
  __op::atomic_store<void, O, S>(pointers, __op::convert<tile_load_t<T>>(values),
                                 __op::convert<tile_with_element_t<T, bool>>(mask));
}
template <class T, class V, class M, memory_order O, thread_scope S = thread_scope::system>
  requires __stores<T, V> && __store_order<O> && __masks<T, M>
__tile__ void atomic_store_masked(T pointers, V values, M mask, memory_order_constant<O>,
                                  thread_scope_constant<S> = {}) {
  atomic_store_masked<O, S>(pointers, values, mask);
}

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_ATOMICS_H
