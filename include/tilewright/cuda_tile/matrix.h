// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices.
#ifndef TILEWRIGHT_CUDA_TILE_MATRIX_H
#define TILEWRIGHT_CUDA_TILE_MATRIX_H

#include "shapes.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
__TILEWRIGHT_OP(mma)
__TILEWRIGHT_OP(scaled_mma)
} // namespace __op

// The elements of a product of A and B: those of matmul's result first.
template <class A, class B> consteval auto __product_element() {
  constexpr __format a = __format_of<A>;
  constexpr bool isSame = std::is_same_v<A, B>;
  constexpr bool isByte = integral_scalar<A> && integral_scalar<B> && sizeof(A) == 1 && sizeof(B) == 1 &&
                          !std::is_same_v<A, bool> && !std::is_same_v<B, bool>;
  if constexpr (isByte)
    return std::type_identity<int>();
  else if constexpr (isSame && (a == __format::f16 || a == __format::e4m3 || a == __format::e5m2))
    return std::type_identity<__half>();
  else if constexpr (isSame && (a == __format::bf16 || a == __format::tf32 || a == __format::f32))
    return std::type_identity<float>();
  else if constexpr (isSame && a == __format::f64)
    return std::type_identity<double>();
  else
    return std::type_identity<void>();
}
template <class A, class B> using __product_element_t = typename decltype(__product_element<A, B>())::type;
template <class A, class B, class C>
concept __accumulates =
    !std::is_void_v<__product_element_t<A, B>> &&
    (same_as<C, __product_element_t<A, B>> || (same_as<__product_element_t<A, B>, __half> && same_as<C, float>));

// The shape of a product: (M, K) by (K, N), or with a batch before, of which one may be 1.
template <class A, class B> consteval auto __product_shape() {
  constexpr __size rank = A::rank();
  if constexpr (rank != B::rank() || rank < 2 || rank > 3) {
    return std::type_identity<void>();
  } else if constexpr (A::static_extent(rank - 1) != B::static_extent(rank - 2)) {
    return std::type_identity<void>();
  } else if constexpr (rank == 2) {
    return std::type_identity<shape<A::static_extent(0), B::static_extent(1)>>();
  } else {
    constexpr __size a = A::static_extent(0), b = B::static_extent(0);
    if constexpr (a == b || a == 1 || b == 1)
      return std::type_identity<shape<(a > b ? a : b), A::static_extent(1), B::static_extent(2)>>();
    else
      return std::type_identity<void>();
  }
}
template <class A, class B>
using __product_shape_t = typename decltype(__product_shape<tile_shape_t<A>, tile_shape_t<B>>())::type;

template <class A, class B, class C>
concept mma_compatible = __is_tile<A> && __is_tile<B> && __is_tile<C> &&
                         __accumulates<tile_element_t<A>, tile_element_t<B>, tile_element_t<C>> &&
                         same_as<__product_shape_t<A, B>, tile_shape_t<C>>;
template <class A, class B>
concept matmul_compatible =
    __is_tile<A> && __is_tile<B> && !std::is_void_v<__product_element_t<tile_element_t<A>, tile_element_t<B>>> &&
    !std::is_void_v<__product_shape_t<A, B>>;
template <class A, class B>
  requires matmul_compatible<A, B>
using matmul_result_t = tile<__product_element_t<tile_element_t<A>, tile_element_t<B>>, __product_shape_t<A, B>>;

// A batch of 1 is that of the result.
template <class T, class R> __tile__ auto __with_batch(T x) {
  using S = tile_shape_t<T>;
  if constexpr (S::rank() == 3)
    return __op::convert<
        tile<tile_element_t<T>, shape<tile_shape_t<R>::static_extent(0), S::static_extent(1), S::static_extent(2)>>>(x);
  else
    return x;
}

// a * b + accumulator
template <class A, class B, class C>
  requires mma_compatible<A, B, C>
__tile__ C mma(A a, B b, C accumulator) {
  return __op::mma<C>(__with_batch<A, C>(a), __with_batch<B, C>(b), accumulator);
}
template <class A, class B, class C>
  requires(__is_tile<A> && __is_tile<B> && __is_tile<C> && !mma_compatible<A, B, C>)
void mma(A a, B b, C accumulator) =
    delete ("the operands of a product are tiles of (M, K), (K, N) and (M, N), of elements that have such a product");
template <class A, class B>
  requires matmul_compatible<A, B>
__tile__ auto matmul(A a, B b) {
  using R = matmul_result_t<A, B>;
  return mma(a, b, __op::convert<R>(0));
}

// ---- products of scaled blocks -------------------------------------------------------------------------------

// Whether a scale of S may stand for `block` elements E along K.
template <class E, class S> consteval bool __scales(__size block) {
  constexpr __format e = __format_of<E>, s = __format_of<S>;
  if (e == __format::e4m3 || e == __format::e5m2)
    return s == __format::e8m0 && block == 32;
  if (e != __format::e2m1)
    return false;
  return s == __format::e4m3 ? block == 16
                             : (s == __format::e8m0 || s == __format::ue5m3) && (block == 16 || block == 32);
}
// A is (M, K) with scales (M, K/V), B (K, N) with (K/V, N), or with a batch before.
template <class A, class SA, class B, class SB> consteval bool __scaled_blocks() {
  constexpr __size rank = A::shape_type::rank();
  if constexpr (rank != B::shape_type::rank() || rank != SA::shape_type::rank() || rank != SB::shape_type::rank() ||
                rank < 2 || rank > 3) {
    return false;
  } else {
    constexpr __size k = A::shape_type::static_extent(rank - 1), blocks = SA::shape_type::static_extent(rank - 1);
    return k == B::shape_type::static_extent(rank - 2) && blocks == SB::shape_type::static_extent(rank - 2) &&
           A::shape_type::static_extent(rank - 2) == SA::shape_type::static_extent(rank - 2) &&
           B::shape_type::static_extent(rank - 1) == SB::shape_type::static_extent(rank - 1) && k % blocks == 0 &&
           __scales<typename A::element_type, typename SA::element_type>(k / blocks) &&
           __scales<typename B::element_type, typename SB::element_type>(k / blocks);
  }
}
template <class A, class SA, class B, class SB, class C>
concept __scaled_compatible =
    __is_tile<A> && __is_tile<SA> && __is_tile<B> && __is_tile<SB> && __is_tile<C> && __scaled_blocks<A, SA, B, SB>() &&
    same_as<tile_element_t<A>, tile_element_t<B>> && same_as<tile_element_t<SA>, tile_element_t<SB>> &&
    same_as<tile_element_t<C>, float> && same_as<__product_shape_t<A, B>, tile_shape_t<C>>;

// (a * scales of a) * (b * scales of b) + accumulator
template <class A, class SA, class B, class SB, class C>
  requires __scaled_compatible<A, SA, B, SB, C>
__tile__ C scaled_mma(A a, SA scale_a, B b, SB scale_b, C accumulator) {
  return __op::scaled_mma<C>(__with_batch<A, C>(a), __with_batch<B, C>(b), accumulator, __with_batch<SA, C>(scale_a),
                             __with_batch<SB, C>(scale_b));
}
template <class A, class SA, class B, class SB, class C>
  requires(__is_tile<A> && __is_tile<B> && __is_tile<C> && !__scaled_compatible<A, SA, B, SB, C>)
void scaled_mma(A a, SA scale_a, B b, SB scale_b, C accumulator) =
    delete ("the operands of a scaled product are (M, K), (M, K/V), (K, N), (K/V, N) and float (M, N): elements of "
            "fp8 with scales of e8m0 and V = 32, or of fp4 with scales of e8m0 or ue5m3 and V = 16 or 32, or e4m3 and "
            "V = 16");

} // namespace __1
} // namespace cuda::tiles

#endif // TILEWRIGHT_CUDA_TILE_MATRIX_H
