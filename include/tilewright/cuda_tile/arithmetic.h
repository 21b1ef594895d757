// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons and logic, element by element. Operands broadcast as in NumPy; an operation whose operands do
// not fit together is a deleted function that says why.
#ifndef TILEWRIGHT_CUDA_TILE_ARITHMETIC_H
#define TILEWRIGHT_CUDA_TILE_ARITHMETIC_H

#include "modifiers.h"
#include "tile.h"

namespace cuda::tiles {
inline namespace __1 {

namespace __op {
__TILEWRIGHT_OP(add)
__TILEWRIGHT_OP(sub)
__TILEWRIGHT_OP(mul)
__TILEWRIGHT_OP(div)
__TILEWRIGHT_OP(rem)
__TILEWRIGHT_OP(ceildiv)
__TILEWRIGHT_OP(floordiv)
__TILEWRIGHT_OP(mulhi)
__TILEWRIGHT_OP(max)
__TILEWRIGHT_OP(min)
__TILEWRIGHT_OP(bit_and)
__TILEWRIGHT_OP(bit_or)
__TILEWRIGHT_OP(bit_xor)
__TILEWRIGHT_OP(bit_not)
__TILEWRIGHT_OP(shift_left)
__TILEWRIGHT_OP(shift_right)
__TILEWRIGHT_OP(neg)
__TILEWRIGHT_OP(abs)
__TILEWRIGHT_OP(fma)
__TILEWRIGHT_OP(less)
__TILEWRIGHT_OP(less_equal)
__TILEWRIGHT_OP(greater)
__TILEWRIGHT_OP(greater_equal)
__TILEWRIGHT_OP(equal)
__TILEWRIGHT_OP(not_equal)
__TILEWRIGHT_OP(select)
} // namespace __op

template <class T, class U>
concept __one_is_tile = __is_tile<T> || __is_tile<U>;
template <class T, class U>
concept __shapes_differ = !broadcast_compatible<T, U>;

#define __TILEWRIGHT_SHAPES_DIFFER                                                                                     \
  "the shapes do not broadcast: counted from the last one, dimensions must be equal or 1"
#define __TILEWRIGHT_NARROWS                                                                                           \
  "an operand does not convert to the element type of the operation without loss; convert it first, as with "          \
  "ct::element_cast<T>(x)"
#define __TILEWRIGHT_UNMODIFIED                                                                                        \
  "the operation does not take these modifiers: integers take none, and only float is approximate or flushed to zero"

// A binary operation of numbers as a function NAME and, for operators, as OP; of `KIND` of tiles.
#define __TILEWRIGHT_BINARY_OPERATOR(OP, NAME, KIND)                                                                   \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && KIND                                                                               \
  ##_tile<T> &&KIND##_tile<U> &&arithmetic_tile_convertible<T, U> __tile__ auto operator OP(T a, U b) {                \
    using R = arithmetic_tile_conversion_t<T, U>;                                                                      \
    return __op::NAME<R>(__op::convert<R>(a), __op::convert<R>(b));                                                    \
  }                                                                                                                    \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && KIND                                                                               \
  ##_tile<T> &&KIND##_tile<U> &&__shapes_differ<T, U> void operator OP(T a, U b) =                                     \
      delete (__TILEWRIGHT_SHAPES_DIFFER);                                                                             \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && KIND                                                                               \
  ##_tile<T> &&KIND##_tile<U> &&broadcast_compatible<T, U> &&                                                          \
      (!arithmetic_tile_convertible<T, U>)void operator OP(T a, U b) = delete (__TILEWRIGHT_NARROWS);
#define __TILEWRIGHT_BINARY_FUNCTION(NAME, KIND, MODIFIERS)                                                            \
  template <class T, class U, class... M>                                                                              \
    requires KIND                                                                                                      \
  ##_tile<T> &&KIND##_tile<U> &&arithmetic_tile_convertible<T, U>                                                      \
      &&MODIFIERS<__operation_element_t<T, U>, M...> __tile__ auto NAME(T a, U b, M...) {                              \
    using R = arithmetic_tile_conversion_t<T, U>;                                                                      \
    return __op::NAME<R, M::value...>(__op::convert<R>(a), __op::convert<R>(b));                                       \
  }                                                                                                                    \
  template <class T, class U, class... M>                                                                              \
    requires KIND                                                                                                      \
  ##_tile<T> &&KIND##_tile<U> &&arithmetic_tile_convertible<T, U> &&                                                   \
      (!MODIFIERS<__operation_element_t<T, U>, M...>)void NAME(T a, U b, M...) = delete (__TILEWRIGHT_UNMODIFIED);     \
  template <class T, class U, class... M>                                                                              \
    requires KIND                                                                                                      \
  ##_tile<T> &&KIND##_tile<U> &&__shapes_differ<T, U> void NAME(T a, U b, M...) = delete (__TILEWRIGHT_SHAPES_DIFFER); \
  template <class T, class U, class... M>                                                                              \
    requires KIND                                                                                                      \
  ##_tile<T> &&KIND##_tile<U> &&broadcast_compatible<T, U> &&                                                          \
      (!arithmetic_tile_convertible<T, U>)void NAME(T a, U b, M...) = delete (__TILEWRIGHT_NARROWS);

__TILEWRIGHT_BINARY_OPERATOR(+, add, arithmetic)
__TILEWRIGHT_BINARY_OPERATOR(-, sub, arithmetic)
__TILEWRIGHT_BINARY_OPERATOR(*, mul, arithmetic)
__TILEWRIGHT_BINARY_OPERATOR(/, div, arithmetic)
__TILEWRIGHT_BINARY_OPERATOR(%, rem, integral)
__TILEWRIGHT_BINARY_OPERATOR(&, bit_and, integral)
__TILEWRIGHT_BINARY_OPERATOR(|, bit_or, integral)
__TILEWRIGHT_BINARY_OPERATOR(^, bit_xor, integral)
__TILEWRIGHT_BINARY_FUNCTION(add, arithmetic, __sum_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(sub, arithmetic, __sum_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(mul, arithmetic, __sum_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(div, arithmetic, __quotient_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(max, arithmetic, __extremum_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(min, arithmetic, __extremum_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(ceildiv, integral, __no_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(floordiv, integral, __no_modifiers)
__TILEWRIGHT_BINARY_FUNCTION(mulhi, integral, __no_modifiers)
#undef __TILEWRIGHT_BINARY_OPERATOR
#undef __TILEWRIGHT_BINARY_FUNCTION

template <class T, class U>
  requires arithmetic_tile_convertible<T, U>
__tile__ auto remainder(T a, U b) {
  using R = arithmetic_tile_conversion_t<T, U>;
  return __op::rem<R>(__op::convert<R>(a), __op::convert<R>(b));
}

// Shifts keep the type of the left operand.
#define __TILEWRIGHT_SHIFT(OP, NAME)                                                                                   \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && integral_tile<T> && integral_tile<U> && broadcast_compatible<T, U>                 \
  __tile__ auto operator OP(T a, U b) {                                                                                \
    using R = mutual_broadcast_t<T, U, tile_element_t<T>>;                                                             \
    return __op::NAME<R>(__op::convert<R>(a), __op::convert<R>(b));                                                    \
  }
__TILEWRIGHT_SHIFT(<<, shift_left)
__TILEWRIGHT_SHIFT(>>, shift_right)
#undef __TILEWRIGHT_SHIFT

template <class T>
  requires __is_tile<T> && arithmetic_tile<T>
__tile__ auto operator+(T x) {
  return __op::convert<arithmetic_tile_promotion_t<T>>(x);
}
template <class T>
  requires __is_tile<T> && pointer_tile<T>
__tile__ T operator+(T x) {
  return x;
}
template <class T>
  requires __is_tile<T> && arithmetic_tile<T>
__tile__ T operator-(T x) {
  return __op::neg<T>(x);
}
template <class T>
  requires __is_tile<T> && integral_tile<T>
__tile__ T operator~(T x) {
  return __op::bit_not<T>(x);
}
template <arithmetic_tile T> __tile__ T abs(T x) {
  return __op::abs<T>(x);
}

// An operand of fma: a float that becomes the accumulator without loss.
template <class T, class V>
concept __factor_of = basic_floating_point_tile<T> && broadcastable_to<T, V> &&
                      non_narrowing_scalar_convertible_to<tile_element_t<T>, tile_element_t<V>>;
template <class T, class U, class V, class... M>
  requires basic_floating_point_tile<V> && __factor_of<T, V> && __factor_of<U, V> &&
           __sum_modifiers<tile_element_t<V>, M...>
__tile__ V fma(T a, U b, V accumulator, M...) {
  return __op::fma<V, M::value...>(__op::convert<V>(a), __op::convert<V>(b), accumulator);
}

// ---- comparisons: in the common type, bool ---------------------------------------------------------

#define __TILEWRIGHT_COMPARISON(OP, NAME)                                                                              \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && arithmetic_tile_comparable<T, U>                                                   \
  __tile__ auto operator OP(T a, U b) {                                                                                \
    using C = arithmetic_tile_comparison_t<T, U>;                                                                      \
    return __op::NAME<tile_with_element_t<C, bool>>(__op::convert<C>(a), __op::convert<C>(b));                         \
  }                                                                                                                    \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && arithmetic_tile<T> && arithmetic_tile<U> && __shapes_differ<T, U>                  \
  void operator OP(T a, U b) = delete (__TILEWRIGHT_SHAPES_DIFFER);                                                    \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && arithmetic_tile<T> && arithmetic_tile<U> && broadcast_compatible<T, U> &&          \
                 (!arithmetic_tile_comparable<T, U>)                                                                   \
  void operator OP(T a, U b) = delete (__TILEWRIGHT_NARROWS);                                                          \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && pointer_comparable<T, U> && broadcast_compatible<T, U>                             \
  __tile__ auto operator OP(T a, U b) {                                                                                \
    using C = mutual_broadcast_t<T, U, uint64_t>;                                                                      \
    return __op::NAME<tile_with_element_t<C, bool>>(__op::convert<C>(a), __op::convert<C>(b));                         \
  }
__TILEWRIGHT_COMPARISON(<, less)
__TILEWRIGHT_COMPARISON(<=, less_equal)
__TILEWRIGHT_COMPARISON(>, greater)
__TILEWRIGHT_COMPARISON(>=, greater_equal)
#undef __TILEWRIGHT_COMPARISON

// As one constant: Clang compares the constraints of `==` and `!=`, and those of concepts grow beyond all bounds.
template <class T, class U>
inline constexpr bool __equality_comparable =
    __one_is_tile<T, U> && broadcast_compatible<T, U> && (arithmetic_tile_comparable<T, U> || pointer_comparable<T, U>);
template <class T, class U> consteval auto __equality_type() {
  if constexpr (pointer_comparable<T, U>)
    return std::type_identity<mutual_broadcast_t<T, U, uint64_t>>();
  else
    return std::type_identity<arithmetic_tile_comparison_t<T, U>>();
}
#define __TILEWRIGHT_EQUALITY(OP, NAME)                                                                                \
  template <class T, class U>                                                                                          \
    requires(__equality_comparable<T, U>)                                                                              \
  __tile__ auto operator OP(T a, U b) {                                                                                \
    using C = typename decltype(__equality_type<T, U>())::type;                                                        \
    return __op::NAME<tile_with_element_t<C, bool>>(__op::convert<C>(a), __op::convert<C>(b));                         \
  }
__TILEWRIGHT_EQUALITY(==, equal)
__TILEWRIGHT_EQUALITY(!=, not_equal)
#undef __TILEWRIGHT_EQUALITY
template <class T>
  requires __is_tile<T> && pointer_tile<T>
__tile__ auto operator==(T a, decltype(nullptr)) {
  return a == tile_element_t<T>(nullptr);
}
template <class T>
  requires __is_tile<T> && pointer_tile<T>
__tile__ auto operator!=(T a, decltype(nullptr)) {
  return a != tile_element_t<T>(nullptr);
}

#define __TILEWRIGHT_LOGIC(OP, NAME)                                                                                   \
  template <class T, class U>                                                                                          \
    requires __one_is_tile<T, U> && bool_tile_convertible<T> && bool_tile_convertible<U> && broadcast_compatible<T, U> \
  __tile__ auto operator OP(T a, U b) {                                                                                \
    using R = mutual_broadcast_t<T, U, bool>;                                                                          \
    return __op::NAME<R>(__op::convert<R>(a), __op::convert<R>(b));                                                    \
  }
__TILEWRIGHT_LOGIC(&&, bit_and)
__TILEWRIGHT_LOGIC(||, bit_or)
#undef __TILEWRIGHT_LOGIC
template <class T>
  requires __is_tile<T> && bool_tile_convertible<T>
__tile__ auto operator!(T x) {
  using R = tile_with_element_t<T, bool>;
  return __op::bit_not<R>(__op::convert<R>(x));
}

template <class C, tile_like T>
  requires bool_tile_convertible<C> && broadcastable_to<C, T>
__tile__ T select(C condition, T a, T b) {
  return __op::select<T>(__op::convert<tile_with_element_t<T, bool>>(condition), a, b);
}

} // namespace __1
} // namespace cuda::tiles

// ---- numbers that are not the language's: __half and __nv_bfloat16 ----------------------------------

#define __TILEWRIGHT_NUMBER_OPERATORS(NUMBER)                                                                          \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ NUMBER operator+(T a, T b) {                                      \
    return cuda::tiles::__op::add<NUMBER>(a, b);                                                                       \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ NUMBER operator-(T a, T b) {                                      \
    return cuda::tiles::__op::sub<NUMBER>(a, b);                                                                       \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ NUMBER operator*(T a, T b) {                                      \
    return cuda::tiles::__op::mul<NUMBER>(a, b);                                                                       \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ NUMBER operator/(T a, T b) {                                      \
    return cuda::tiles::__op::div<NUMBER>(a, b);                                                                       \
  }                                                                                                                    \
  __tile__ inline NUMBER operator-(NUMBER a) {                                                                         \
    return cuda::tiles::__op::neg<NUMBER>(a);                                                                          \
  }                                                                                                                    \
  __tile__ inline NUMBER operator+(NUMBER a) {                                                                         \
    return a;                                                                                                          \
  }                                                                                                                    \
  __tile__ inline NUMBER &operator+=(NUMBER &a, NUMBER b) {                                                            \
    return a = a + b;                                                                                                  \
  }                                                                                                                    \
  __tile__ inline NUMBER &operator-=(NUMBER &a, NUMBER b) {                                                            \
    return a = a - b;                                                                                                  \
  }                                                                                                                    \
  __tile__ inline NUMBER &operator*=(NUMBER &a, NUMBER b) {                                                            \
    return a = a * b;                                                                                                  \
  }                                                                                                                    \
  __tile__ inline NUMBER &operator/=(NUMBER &a, NUMBER b) {                                                            \
    return a = a / b;                                                                                                  \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ bool operator<(T a, T b) {                                        \
    return cuda::tiles::__op::less<bool>(a, b);                                                                        \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ bool operator<=(T a, T b) {                                       \
    return cuda::tiles::__op::less_equal<bool>(a, b);                                                                  \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ bool operator>(T a, T b) {                                        \
    return cuda::tiles::__op::greater<bool>(a, b);                                                                     \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ bool operator>=(T a, T b) {                                       \
    return cuda::tiles::__op::greater_equal<bool>(a, b);                                                               \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ bool operator==(T a, T b) {                                       \
    return cuda::tiles::__op::equal<bool>(a, b);                                                                       \
  }                                                                                                                    \
  template <cuda::tiles::same_as<NUMBER> T> __tile__ bool operator!=(T a, T b) {                                       \
    return cuda::tiles::__op::not_equal<bool>(a, b);                                                                   \
  }
#ifndef __CUDA_FP16_H__
__TILEWRIGHT_NUMBER_OPERATORS(__half)
#endif
#ifndef __CUDA_BF16_H__
__TILEWRIGHT_NUMBER_OPERATORS(__nv_bfloat16)
#endif
#undef __TILEWRIGHT_NUMBER_OPERATORS

#endif // TILEWRIGHT_CUDA_TILE_ARITHMETIC_H
