// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views: a span seen as a grid of tiles.
#ifndef TILEWRIGHT_CUDA_TILE_VIEWS_H
#define TILEWRIGHT_CUDA_TILE_VIEWS_H

#include "atomics.h"
#include "shapes.h"
#include "span.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
// Constants: the kind of the view, the rank, whether all accesses are in bounds, then the strides of the tiles or the
// dimension of the rows. Operands: the pointer, extents, strides, indices; of a store first the tile.
__TILEWRIGHT_OP(load_view)
__TILEWRIGHT_OP(store_view)
// The change stands before the strides.
__TILEWRIGHT_OP(change_view)
} // namespace __op

// The paddings that numbers E have: integers and pointers zero only.
template <class E> consteval bool __has_padding(view_padding padding) {
  constexpr __format format = __format_of<E>;
  switch (padding) {
  case view_padding::zero:
    return format != __format::e8m0;
  case view_padding::negative_zero:
    return floating_point_scalar<E> && format != __format::e8m0 && format != __format::ue5m3 &&
           format != __format::e2m1;
  case view_padding::nan:
    return floating_point_scalar<E> && format != __format::e2m1;
  default:
    return basic_floating_point_scalar<E> || format == __format::tf32 || format == __format::e5m2;
  }
}
#define __TILEWRIGHT_PADDING "the elements of the view do not have this padding, which is zero unless given"

enum __view_kind : int { __partition, __strided, __gather };
enum class __view_change : int { add, sub, bit_and, bit_or, bit_xor, max, min };

// The accesses of all kinds of views; `More` are the constants of that one.
template <__view_kind Kind, tensor_span_like Span, tile_shape Shape, auto... More> class __view {
  static_assert(Span::extents_type::rank() == Shape::rank(), "the tiles of a view have the rank of its span");
  static_assert(Shape::rank() > 0, "a view has one dimension at least");
  Span __span;

  // An index is a scalar for each dimension, or that along the rows of a gather_scatter_view a tile.
  template <class... I>
  static constexpr bool __takes =
      sizeof...(I) == Shape::rank() && ((arithmetic_scalar<I> || (Kind == __gather && integral_tile<I>)) && ...);
  template <class T>
  static constexpr bool __writes =
      storeable_tensor_span<Span> &&
      non_narrowing_tile_convertible_to<T, tile<std::remove_cv_t<typename Span::element_type>, Shape>>;

public:
  using span_type = Span;
  using index_type = typename Span::index_type;
  using element_type = typename Span::element_type;
  using value_type = std::remove_cv_t<element_type>;
  using view_shape_type = Shape;
  using view_tile_type = tile<value_type, Shape>;

  __tile__ const Span &span() const { return __span; }

  // All of the tile is inside of the span.
  template <class... I>
    requires(__takes<I...>)
  __tile__ view_tile_type load(I... indices) const {
    return __load<true>(__first<Shape::rank()>(), __index(indices)...);
  }
  // Elements outside of the span are padding.
  template <view_padding P = view_padding::zero, class... I>
    requires(__takes<I...> && __has_padding<value_type>(P))
  __tile__ view_tile_type load_masked(I... indices) const {
    return __load<false, P>(__first<Shape::rank()>(), __index(indices)...);
  }
  template <view_padding P, class... I>
    requires(__takes<I...> && __has_padding<value_type>(P))
  __tile__ view_tile_type load_masked(view_padding_constant<P>, I... indices) const {
    return load_masked<P>(indices...);
  }
  template <view_padding P = view_padding::zero, class... I>
    requires(__takes<I...> && !__has_padding<value_type>(P))
  view_tile_type load_masked(I... indices) const = delete (__TILEWRIGHT_PADDING);
  template <view_padding P, class... I>
    requires(__takes<I...> && !__has_padding<value_type>(P))
  view_tile_type load_masked(view_padding_constant<P>, I... indices) const = delete (__TILEWRIGHT_PADDING);

  template <class T, class... I>
    requires(__takes<I...> && __writes<T>)
  __tile__ void store(T x, I... indices) const {
    __store<true>(__first<Shape::rank()>(), x, __index(indices)...);
  }
  // Elements outside of the span are left alone.
  template <class T, class... I>
    requires(__takes<I...> && __writes<T>)
  __tile__ void store_masked(T x, I... indices) const {
    __store<false>(__first<Shape::rank()>(), x, __index(indices)...);
  }

  // With an order, as template arguments or before the indices; of a load behind the padding.
  template <memory_order O, thread_scope S = thread_scope::system, class... I>
    requires(__takes<I...> && __load_order<O>)
  __tile__ view_tile_type atomic_load(I... indices) const {
    return __load<true, O, S>(__first<Shape::rank()>(), __index(indices)...);
  }
  template <memory_order O, class... I>
    requires(__takes<I...> && __load_order<O>)
  __tile__ view_tile_type atomic_load(memory_order_constant<O>, I... indices) const {
    return atomic_load<O>(indices...);
  }
  template <memory_order O, thread_scope S, class... I>
    requires(__takes<I...> && __load_order<O>)
  __tile__ view_tile_type atomic_load(memory_order_constant<O>, thread_scope_constant<S>, I... indices) const {
    return atomic_load<O, S>(indices...);
  }
  template <view_padding P, memory_order O, thread_scope S = thread_scope::system, class... I>
    requires(__takes<I...> && __load_order<O> && __has_padding<value_type>(P))
  __tile__ view_tile_type atomic_load_masked(I... indices) const {
    return __load<false, P, O, S>(__first<Shape::rank()>(), __index(indices)...);
  }
  template <view_padding P, memory_order O, class... I>
    requires(__takes<I...> && __load_order<O> && __has_padding<value_type>(P))
  __tile__ view_tile_type atomic_load_masked(view_padding_constant<P>, memory_order_constant<O>, I... indices) const {
    return atomic_load_masked<P, O>(indices...);
  }
  template <view_padding P, memory_order O, thread_scope S, class... I>
    requires(__takes<I...> && __load_order<O> && __has_padding<value_type>(P))
  __tile__ view_tile_type atomic_load_masked(view_padding_constant<P>, memory_order_constant<O>,
                                             thread_scope_constant<S>, I... indices) const {
    return atomic_load_masked<P, O, S>(indices...);
  }
#define __TILEWRIGHT_ATOMIC_STORE(NAME, INSIDE)                                                                        \
  template <memory_order O, thread_scope S = thread_scope::system, class T, class... I>                                \
    requires(__takes<I...> && __writes<T> && __store_order<O>)                                                         \
  __tile__ void NAME(T x, I... indices) const {                                                                        \
    __store<INSIDE, O, S>(__first<Shape::rank()>(), x, __index(indices)...);                                           \
  }                                                                                                                    \
  template <class T, memory_order O, class... I>                                                                       \
    requires(__takes<I...> && __writes<T> && __store_order<O>)                                                         \
  __tile__ void NAME(T x, memory_order_constant<O>, I... indices) const {                                              \
    NAME<O>(x, indices...);                                                                                            \
  }                                                                                                                    \
  template <class T, memory_order O, thread_scope S, class... I>                                                       \
    requires(__takes<I...> && __writes<T> && __store_order<O>)                                                         \
  __tile__ void NAME(T x, memory_order_constant<O>, thread_scope_constant<S>, I... indices) const {                    \
    NAME<O, S>(x, indices...);                                                                                         \
  }
  __TILEWRIGHT_ATOMIC_STORE(atomic_store, true)
  __TILEWRIGHT_ATOMIC_STORE(atomic_store_masked, false)
#undef __TILEWRIGHT_ATOMIC_STORE

  // Changes the elements in memory, and gives nothing.
#define __TILEWRIGHT_ATOMIC_CHANGE(NAME, INSIDE, KIND, ELEMENTS)                                                       \
  template <class T, thread_scope S, class... I>                                                                       \
    requires(Kind != __gather && __takes<I...> && __writes<T> && ELEMENTS<value_type> && S != thread_scope::system)    \
  __tile__ void NAME(T x, memory_order_relaxed_t, thread_scope_constant<S>, I... indices) const {                      \
    __change<INSIDE, __view_change::KIND, S>(__first<Shape::rank()>(), x, __index(indices)...);                        \
  }
#define __TILEWRIGHT_ATOMIC_CHANGES(NAME, KIND, ELEMENTS)                                                              \
  __TILEWRIGHT_ATOMIC_CHANGE(NAME, true, KIND, ELEMENTS)                                                               \
  __TILEWRIGHT_ATOMIC_CHANGE(NAME##_masked, false, KIND, ELEMENTS)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_add, add, __atomic_sum)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_sub, sub, __atomic_sum)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_and, bit_and, __atomic_integer)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_or, bit_or, __atomic_integer)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_xor, bit_xor, __atomic_integer)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_max, max, __atomic_integer)
  __TILEWRIGHT_ATOMIC_CHANGES(atomic_min, min, __atomic_integer)
#undef __TILEWRIGHT_ATOMIC_CHANGES
#undef __TILEWRIGHT_ATOMIC_CHANGE

protected:
  __tile__ explicit __view(const Span &span) : __span(span) {}

private:
  template <class I> __tile__ static auto __index(I index) {
    return __op::convert<tile_with_element_t<I, index_type>>(index);
  }
  template <bool Inside, auto... F, __size... D, class... I>
  __tile__ view_tile_type __load(__numbers<__size, D...>, I... indices) const {
    return __op::load_view<view_tile_type, static_cast<int>(Kind), Shape::rank(), Inside, More..., F...>(
        __span.data_handle(), static_cast<index_type>(__span.extent(D))...,
        static_cast<index_type>(__span.mapping().stride(D))..., indices...);
  }
  template <bool Inside, auto... F, __size... D, class T, class... I>
  __tile__ void __store(__numbers<__size, D...>, T x, I... indices) const {
    __op::store_view<view_tile_type, static_cast<int>(Kind), Shape::rank(), Inside, More..., F...>(
        __op::convert<view_tile_type>(x), __span.data_handle(), static_cast<index_type>(__span.extent(D))...,
        static_cast<index_type>(__span.mapping().stride(D))..., indices...);
  }
  template <bool Inside, __view_change C, thread_scope S, __size... D, class T, class... I>
  __tile__ void __change(__numbers<__size, D...>, T x, I... indices) const {
    __op::change_view<view_tile_type, static_cast<int>(Kind), Shape::rank(), Inside, static_cast<int>(C), More..., S>(
        __op::convert<view_tile_type>(x), __span.data_handle(), static_cast<index_type>(__span.extent(D))...,
        static_cast<index_type>(__span.mapping().stride(D))..., indices...);
  }
};

// Tile i begins at i times the shape.
template <class Span, class Shape> class partition_view : public __view<__partition, Span, Shape> {
public:
  __tile__ partition_view(const Span &span, Shape = {}) : __view<__partition, Span, Shape>(span) {}
};
template <class Span, class Shape> partition_view(Span, Shape) -> partition_view<Span, Shape>;

// Tile i begins at i times the strides, which are constants.
template <class Span, class Shape, class Strides> class strided_view;
template <class Span, class Shape, class I, __size... S>
class strided_view<Span, Shape, strides<I, S...>> : public __view<__strided, Span, Shape, S...> {
  static_assert(((S != dynamic_stride && S != 0) && ...), "the strides of a strided_view are positive constants");
  static_assert(std::is_same_v<I, typename Span::index_type>, "span and strides have one type of index");

public:
  __tile__ strided_view(const Span &span, Shape, strides<I, S...>) : __view<__strided, Span, Shape, S...>(span) {}
};
template <class Span, class Shape, class Strides>
strided_view(Span, Shape, Strides) -> strided_view<Span, Shape, Strides>;

// The index along dimension D is a tile of row numbers; the others count elements.
template <class Span, class Shape, auto D> class gather_scatter_view : public __view<__gather, Span, Shape, D> {
  static_assert(D >= 0 && static_cast<__size>(D) < Shape::rank(), "the rows of a view are along one of its dimensions");

public:
  __tile__ gather_scatter_view(const Span &span, Shape, integral_constant<D>)
      : __view<__gather, Span, Shape, D>(span) {}
};
template <class Span, class Shape, auto D>
gather_scatter_view(Span, Shape, integral_constant<D>) -> gather_scatter_view<Span, Shape, D>;

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_VIEWS_H
