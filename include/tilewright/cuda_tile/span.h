// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor_span: a pointer with extents and a layout, which maps indices to offsets.
#ifndef TILEWRIGHT_CUDA_TILE_SPAN_H
#define TILEWRIGHT_CUDA_TILE_SPAN_H

#include "tile.h"

namespace cuda::tiles {
inline namespace __1 {

// The stride of dimension i, where the dimensions between it and the one that is dense are those after it, or before
// it.
template <bool After, class E> __tile__ constexpr auto __dense_stride(const E &extents, __size i) {
  typename E::index_type result = 1;
  for (__size j = 0; j < E::rank(); ++j)
    if (After ? j > i : j < i)
      result *= extents.extent(j);
  return result;
}
template <bool After, class E> consteval __size __dense_static_stride(__size i) {
  __size result = 1;
  for (__size j = 0; j < E::rank(); ++j)
    if (After ? j > i : j < i)
      result = result == dynamic_stride || E::static_extent(j) == dynamic_extent ? dynamic_stride
                                                                                 : result * E::static_extent(j);
  return result;
}

#define __TILEWRIGHT_DENSE_LAYOUT(NAME, AFTER)                                                                         \
  struct NAME {                                                                                                        \
    template <class E> class mapping {                                                                                 \
      E __extents;                                                                                                     \
                                                                                                                       \
    public:                                                                                                            \
      using extents_type = E;                                                                                          \
      using index_type = typename E::index_type;                                                                       \
      using rank_type = __size;                                                                                        \
      using layout_type = NAME;                                                                                        \
      __tile__ constexpr mapping() = default;                                                                          \
      __tile__ constexpr explicit mapping(const E &extents) : __extents(extents) {}                                    \
      __tile__ static constexpr bool is_always_strided() { return true; }                                              \
      __tile__ static consteval __size static_stride(__size i) { return __dense_static_stride<AFTER, E>(i); }          \
      __tile__ constexpr index_type stride(__size i) const { return __dense_stride<AFTER>(__extents, i); }             \
      __tile__ constexpr const E &extents() const { return __extents; }                                                \
    };                                                                                                                 \
  };                                                                                                                   \
  template <class E> using NAME##_mapping = typename NAME::template mapping<E>;
__TILEWRIGHT_DENSE_LAYOUT(layout_right, true)
__TILEWRIGHT_DENSE_LAYOUT(layout_left, false)
#undef __TILEWRIGHT_DENSE_LAYOUT

template <class S> struct layout_strided {
  template <class E> class mapping {
    E __extents;
    S __strides;

  public:
    using extents_type = E;
    using index_type = typename E::index_type;
    using rank_type = __size;
    using layout_type = layout_strided;
    static_assert(std::is_same_v<index_type, typename S::stride_type>, "extents and strides have one type of index");
    static_assert(E::rank() == S::rank(), "there is a stride for each extent");
    __tile__ constexpr mapping() = default;
    __tile__ constexpr explicit mapping(const E &extents, const S &strides) : __extents(extents), __strides(strides) {}
    __tile__ static constexpr bool is_always_strided() { return true; }
    __tile__ static constexpr __size static_stride(__size i) { return S::static_stride(i); }
    __tile__ constexpr index_type stride(__size i) const { return __strides.stride(i); }
    __tile__ constexpr const E &extents() const { return __extents; }
  };
  template <class E, class T> mapping(E, T) -> mapping<E>;
};
template <class E, class S> using layout_strided_mapping = typename layout_strided<S>::template mapping<E>;

// Dense but for the dimension that the others stand beside, which is padded to a multiple of P elements.
#define __TILEWRIGHT_PADDED_LAYOUT(NAME, AFTER)                                                                        \
  template <__size P> struct NAME {                                                                                    \
    static_assert(P > 0, "a layout is padded to a multiple of a positive number");                                     \
    template <class E> class mapping {                                                                                 \
      E __extents;                                                                                                     \
      typename E::index_type __padding;                                                                                \
      static constexpr __size __dense = AFTER ? E::rank() - 1 : 0;                                                     \
      template <class T> __tile__ static constexpr T __padded(T extent, T padding) {                                   \
        return static_cast<T>((extent + (padding - 1)) / padding * padding);                                           \
      }                                                                                                                \
                                                                                                                       \
      __tile__ constexpr typename E::index_type __step() const {                                                       \
        return P == dynamic_extent ? __padding : static_cast<typename E::index_type>(P);                               \
      }                                                                                                                \
                                                                                                                       \
    public:                                                                                                            \
      using extents_type = E;                                                                                          \
      using index_type = typename E::index_type;                                                                       \
      using rank_type = __size;                                                                                        \
      using layout_type = NAME;                                                                                        \
      static constexpr __size padding_value = P;                                                                       \
      __tile__ constexpr mapping() = default;                                                                          \
      /* The padding is P, or the number that it is where P is dynamic. */                                             \
      template <__converts_to<index_type> I>                                                                           \
      __tile__ constexpr mapping(const E &extents, I padding)                                                          \
          : __extents(extents), __padding(static_cast<index_type>(padding)) {}                                         \
      __tile__ static constexpr bool is_always_strided() { return true; }                                              \
      __tile__ static consteval __size static_stride(__size i) {                                                       \
        __size result = 1;                                                                                             \
        for (__size j = 0; j < E::rank(); ++j)                                                                         \
          if (AFTER ? j > i : j < i) {                                                                                 \
            if (result == dynamic_stride || E::static_extent(j) == dynamic_extent ||                                   \
                (P == dynamic_extent && j == __dense))                                                                 \
              result = dynamic_stride;                                                                                 \
            else                                                                                                       \
              result *= j == __dense ? __padded(E::static_extent(j), P) : E::static_extent(j);                         \
          }                                                                                                            \
        return result;                                                                                                 \
      }                                                                                                                \
      __tile__ constexpr index_type stride(__size i) const {                                                           \
        index_type result = 1;                                                                                         \
        for (__size j = 0; j < E::rank(); ++j)                                                                         \
          if (AFTER ? j > i : j < i)                                                                                   \
            result *= j == __dense ? __padded(__extents.extent(j), __step()) : __extents.extent(j);                    \
        return result;                                                                                                 \
      }                                                                                                                \
      __tile__ constexpr const E &extents() const { return __extents; }                                                \
    };                                                                                                                 \
  };                                                                                                                   \
  template <__size P, class E> using NAME##_mapping = typename NAME<P>::template mapping<E>;
__TILEWRIGHT_PADDED_LAYOUT(layout_right_padded, true)
__TILEWRIGHT_PADDED_LAYOUT(layout_left_padded, false)
#undef __TILEWRIGHT_PADDED_LAYOUT

template <class T>
concept layout_mapping = requires(const T &t, __size i) {
  typename T::extents_type;
  typename T::layout_type;
  t.stride(i);
  t.extents();
};

template <class E> struct default_accessor {
  using element_type = E;
  using data_handle_type = E *;
  using reference = E &;
};

template <class E, class X, class L = layout_right, class A = default_accessor<E>> class tensor_span {
public:
  using element_type = E;
  using value_type = std::remove_cv_t<E>;
  using extents_type = X;
  using layout_type = L;
  using mapping_type = typename L::template mapping<X>;
  using index_type = typename X::index_type;
  using rank_type = __size;
  using accessor_type = A;
  using data_handle_type = typename A::data_handle_type;
  using reference = typename A::reference;

  __tile__ constexpr tensor_span(data_handle_type pointer, const X &extents, L = {})
    requires std::is_constructible_v<mapping_type, const X &>
      : __pointer(pointer), __mapping(extents) {}
  __tile__ constexpr tensor_span(data_handle_type pointer, const mapping_type &mapping)
      : __pointer(pointer), __mapping(mapping) {}

  __tile__ static constexpr rank_type rank() { return X::rank(); }
  __tile__ static constexpr rank_type rank_dynamic() { return X::rank_dynamic(); }
  __tile__ static constexpr __size static_extent(rank_type i) { return X::static_extent(i); }
  __tile__ constexpr index_type extent(rank_type i) const { return extents().extent(i); }
  __tile__ constexpr const X &extents() const { return __mapping.extents(); }
  __tile__ constexpr const mapping_type &mapping() const { return __mapping; }
  __tile__ constexpr data_handle_type data_handle() const { return __pointer; }
  __tile__ constexpr accessor_type accessor() const { return {}; }

private:
  data_handle_type __pointer;
  mapping_type __mapping;
};
template <class E, extents_like X> tensor_span(E *, X) -> tensor_span<E, X>;
template <class E, extents_like X, class L> tensor_span(E *, X, L) -> tensor_span<E, X, L>;
template <class E, layout_mapping M>
tensor_span(E *, M) -> tensor_span<E, typename M::extents_type, typename M::layout_type>;

template <class T>
concept tensor_span_like = requires(const T &t, __size i) {
  typename T::element_type;
  typename T::extents_type;
  typename T::index_type;
  t.extent(i);
  t.mapping().stride(i);
  t.data_handle();
};
template <class T>
concept storeable_tensor_span = tensor_span_like<T> && !std::is_const_v<typename T::element_type>;

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_SPAN_H
