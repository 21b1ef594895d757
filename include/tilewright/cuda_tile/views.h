// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views: a span seen as a grid of tiles.
#ifndef TILEWRIGHT_CUDA_TILE_VIEWS_H
#define TILEWRIGHT_CUDA_TILE_VIEWS_H

#include "shapes.h"
#include "span.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
// Constants: the kind of the view, the rank, whether all accesses are in bounds, then the strides of the tiles or the
// dimension of the rows. Operands: the pointer, extents, strides, indices; of a store first the tile.
__TILEWRIGHT_OP(load_view)
__TILEWRIGHT_OP(store_view)
} // namespace __op

enum __view_kind : int { __partition, __strided, __gather };

// The accesses of all kinds of views; `More` are the constants of that one.
template <__view_kind Kind, tensor_span_like Span, tile_shape Shape, auto... More> class __view {
  static_assert(Span::extents_type::rank() == Shape::rank(), "the tiles of a view have the rank of its span");
  static_assert(Shape::rank() > 0, "a view has one dimension at least");
  Span __span;

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
    requires(sizeof...(I) == Shape::rank())
  __tile__ view_tile_type load(I... indices) const {
    return __load<true>(__first<Shape::rank()>(), __index(indices)...);
  }
  // Elements outside of the span are padding.
  template <view_padding P = view_padding::zero, class... I>
    requires(sizeof...(I) == Shape::rank())
  __tile__ view_tile_type load_masked(I... indices) const {
    return __load<false, P>(__first<Shape::rank()>(), __index(indices)...);
  }
  template <view_padding P, class... I>
    requires(sizeof...(I) == Shape::rank())
  __tile__ view_tile_type load_masked(view_padding_constant<P>, I... indices) const {
    return __load<false, P>(__first<Shape::rank()>(), __index(indices)...);
  }
  template <class T, class... I>
    requires(sizeof...(I) == Shape::rank() && storeable_tensor_span<Span> &&
             non_narrowing_tile_convertible_to<T, view_tile_type>)
  __tile__ void store(T x, I... indices) const {
    __store<true>(__first<Shape::rank()>(), x, __index(indices)...);
  }
  // Elements outside of the span are left alone.
  template <class T, class... I>
    requires(sizeof...(I) == Shape::rank() && storeable_tensor_span<Span> &&
             non_narrowing_tile_convertible_to<T, view_tile_type>)
  __tile__ void store_masked(T x, I... indices) const {
    __store<false>(__first<Shape::rank()>(), x, __index(indices)...);
  }

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
  template <bool Inside, __size... D, class T, class... I>
  __tile__ void __store(__numbers<__size, D...>, T x, I... indices) const {
    __op::store_view<view_tile_type, static_cast<int>(Kind), Shape::rank(), Inside, More...>(
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
