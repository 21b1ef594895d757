// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a seed determines, on every machine: the standard library's distributions are not the same everywhere.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_RANDOM_H
#define TILEWRIGHT_FUZZ_PROGRAMS_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include <cassert>
#include <cstdint>
#include <initializer_list>

namespace tilewright::programs {

// splitmix64: every seed is a good one, also the neighbour of another.
inline uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Random {
public:
  explicit Random(uint64_t seed) : state(mix(seed)) {}

  uint64_t next() {
    state += 0x9E3779B97F4A7C15u;
    return mix(state);
  }
  // 0 to count - 1.
  uint64_t below(uint64_t count) {
    assert(count && "a choice among nothing");
    return next() % count;
  }
  int64_t between(int64_t low, int64_t high) { return low + static_cast<int64_t>(below(high - low + 1)); }
  // True in so many of a hundred cases.
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename T> T pick(std::initializer_list<T> choices) { return choices.begin()[below(choices.size())]; }
  template <typename Range> auto pick(const Range &choices) { return *(choices.begin() + below(choices.size())); }

private:
  uint64_t state;
};

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_RANDOM_H
