// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How declarations are marked for the front end, and the operations that it builds itself.
#ifndef TILEWRIGHT_CUDA_TILE_ANNOTATIONS_H
#define TILEWRIGHT_CUDA_TILE_ANNOTATIONS_H

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "CUDA Tile C++ needs C++20: compile with -std=c++20"
#endif

#include <cstdint>
#include <initializer_list>
#include <type_traits>

// Kernels print without <cstdio>, which nvcc includes by itself.
extern "C" int printf(const char *__restrict format, ...);

#ifndef __CUDACC_TILE__
#define __CUDACC_TILE__ 1
#endif

#if defined(__clang__)
#define __TILEWRIGHT_ANNOTATE(...) __attribute__((annotate(__VA_ARGS__)))
#else
#define __TILEWRIGHT_ANNOTATE(...)
#endif

// A kernel, and a function or variable of tile code.
#ifndef __tile_global__
#if defined(__clang__) && defined(__CUDA__)
#define __tile_global__ __TILEWRIGHT_ANNOTATE("tilewright.kernel") __attribute__((global))
#else
#define __tile_global__ __TILEWRIGHT_ANNOTATE("tilewright.kernel")
#endif
#define __tile__ __TILEWRIGHT_ANNOTATE("tilewright.tile")
#endif

// A class whose objects are one value of Tile IR: a tile, or a number of the named format.
#define __TILEWRIGHT_VALUE(KIND) __TILEWRIGHT_ANNOTATE("tilewright.value", KIND)

// Declares operations that the front end builds. R is the type of the result, F are constants that say more: numbers of
// dimensions, and enumerators such as a rounding mode.
#define __TILEWRIGHT_OP(NAME)                                                                                          \
  template <class R, auto... F, class... A> __TILEWRIGHT_ANNOTATE("tilewright.op") R NAME(A... operands);

namespace cuda::tiles {
inline namespace __1 {

using __size = decltype(sizeof(0));
using __difference = decltype((char *)nullptr - (char *)nullptr);

template <class From, class To>
concept __converts_to = std::is_convertible_v<From, To>;

// The numbers 0 to N - 1 as a pack.
template <class T, T... I> struct __numbers {};
#if defined(__clang__)
template <__size N> using __first = __make_integer_seq<__numbers, __size, N>;
#else
template <__size N> using __first = __numbers<__size, __integer_pack(N)...>;
#endif

} // namespace __1
} // namespace cuda::tiles

#if !defined(__VECTOR_TYPES_H__)
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
#endif

#endif // TILEWRIGHT_CUDA_TILE_ANNOTATIONS_H
