// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Scratch.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace tilewright {
namespace {

constexpr size_t cacheLine = 64;
constexpr size_t hugePage = 2u << 20;

struct Arena {
  char *data = nullptr;
  size_t bytes = 0;

  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() { std::free(data); }

  bool grow(size_t wanted) {
    // A large arena sits on whole huge pages: the packed panels of a matrix product otherwise miss the TLB in every k
    // step.
    size_t unit = wanted >= hugePage / 2 ? hugePage : cacheLine;
    size_t size = (std::max<size_t>(wanted, 1) + unit - 1) / unit * unit;
    char *fresh = static_cast<char *>(std::aligned_alloc(unit, size));
    if (!fresh)
      return false;
    if (unit == hugePage)
      madvise(fresh, size, MADV_HUGEPAGE);
    std::free(data);
    data = fresh;
    bytes = size;
    return true;
  }
};

thread_local Arena arena;

} // namespace

char *threadScratch(size_t bytes) {
  if (arena.bytes < bytes || !arena.data)
    if (!arena.grow(bytes))
      return nullptr;
  return arena.data;
}

} // namespace tilewright
