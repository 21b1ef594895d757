// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels in CUDA Tile C++ from a program: tilewright::launch(grid, kernel<float, 1024>, args...), or
// kernel<float, 1024><<<grid>>>(args...) in what tilewright-c++ compiles. Any C++20 compiler takes this header, for
// programs that launch kernels of other files.
#ifndef TILEWRIGHT_LAUNCH_H
#define TILEWRIGHT_LAUNCH_H

#include "../tilewright.h"
#include "cuda_tile/annotations.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tilewright {

/// A launch that was refused or that failed. A failure on a GPU is known at the next synchronize().
class Error : public std::runtime_error {
public:
  Error(tilewright_status status, const std::string &message) : std::runtime_error(message), status(status) {}
  tilewright_status status;
};

/// Throws, or ends a program without exceptions.
[[noreturn]] inline void fail(tilewright_status status, const std::string &message) {
#if defined(__cpp_exceptions)
  throw Error(status, message);
#else
  std::fprintf(stderr, "tilewright: error %d: %s\n", status, message.c_str());
  std::abort();
#endif
}

/// Nothing for null.
inline void check(tilewright_error *error) {
  if (!error)
    return;
  tilewright_status status = tilewright_error_status(error);
  std::string message = tilewright_error_message(error);
  tilewright_error_free(error);
  fail(status, message);
}

/// Waits for all launches on GPUs.
inline void synchronize() {
  check(tilewright_synchronize());
}

/// Memory that kernels and the program use by the same addresses.
template <class T> struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <class U> constexpr Allocator(const Allocator<U> &) noexcept {}
  T *allocate(std::size_t count) {
    void *memory = nullptr;
    check(tilewright_shared_memory_allocate(count * sizeof(T), &memory));
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, std::size_t) noexcept { tilewright_shared_memory_free(memory); }
  friend bool operator==(const Allocator &, const Allocator &) { return true; }
};
template <class T> using vector = std::vector<T, Allocator<T>>;

/// Of the launch that comes next on this thread.
struct Configuration {
  dim3 grid;
  void *stream = nullptr;
};
inline thread_local constinit Configuration __next;

/// Runs a kernel for each block of the grid, on a stream of the GPU if there is one (a CUstream; null is the default).
template <class... P> void launch(dim3 grid, void *stream, void (*kernel)(P...), std::type_identity_t<P>... args) {
  __next = {grid, stream};
  kernel(args...);
}
template <class... P> void launch(dim3 grid, void (*kernel)(P...), std::type_identity_t<P>... args) {
  launch(grid, nullptr, kernel, args...);
}

} // namespace tilewright

/// The body of every kernel in the program.
extern "C" __attribute__((used)) inline void __tilewright_launch(tilewright_embedded_kernel *kernel,
                                                                 void *const *values, std::size_t count) {
  const tilewright::Configuration &next = tilewright::__next;
  const int64_t grid[] = {next.grid.x, next.grid.y, next.grid.z};
  tilewright::check(tilewright_embedded_kernel_launch(kernel, grid, values, count, next.stream));
}

/// The body of every operation on tiles in the program.
extern "C" __attribute__((used)) inline void __tilewright_refuse_tiles() {
  tilewright::fail(TILEWRIGHT_BAD_ARGUMENT, "an operation on tiles outside of a kernel");
}

#if defined(__CUDA__)
// Clang's names for the part between <<< and >>>. The number of threads of a block is the compiler's business.
static inline unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block = 1, std::size_t = 0, void *stream = nullptr) {
  if (block.x != 1 || block.y != 1 || block.z != 1)
    tilewright::fail(TILEWRIGHT_BAD_ARGUMENT, "the block of a launch has " + std::to_string(block.x) + " x " +
                                                  std::to_string(block.y) + " x " + std::to_string(block.z) +
                                                  " threads, expected 1: the compiler chooses their number");
  tilewright::__next = {grid, stream};
  return 0;
}
extern "C" int cudaLaunchKernel(const void *, dim3 grid, dim3 block, void **values, std::size_t shared, void *stream);
#endif

#endif // TILEWRIGHT_LAUNCH_H
